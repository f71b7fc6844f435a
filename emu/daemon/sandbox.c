#include "emu/daemon/sandbox.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "emu/fiber_sanitizer.h"

#define LOAD(member)    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, member))
#define ARGUMENT(index) (unsigned)offsetof(struct seccomp_data, args[index])
#define ANSWER(value)   BPF_STMT(BPF_RET | BPF_K, value)

/* The accumulator holds the number of the call, and does again where the next rule begins. */
#define IS_CALL(name, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##name, 0, skip)

/* The call is allowed. */
#define ALLOW(name) IS_CALL(name, 1), ANSWER(SECCOMP_RET_ALLOW)

/* Refused like by an old kernel, which the C library knows how to do without. */
#define REFUSE(name, number) IS_CALL(name, 1), ANSWER(SECCOMP_RET_ERRNO | (number))

/* Of the lower half of an argument only `bits` are looked at: which of them are set? */
#define BITS_OF(index, bits)                                 \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, ARGUMENT(index)), \
		BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits)

/* One answer if these very bits are set, else the other. */
#define ANSWER_IF(set, then, otherwise) \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, set, 0, 1), ANSWER(then), ANSWER(otherwise)

#define ANSWER_BY(name, index, bits, set, then, otherwise) \
	IS_CALL(name, 5), BITS_OF(index, bits), ANSWER_IF(set, then, otherwise)

/* Allowed if none of these bits is set in the argument, if not all are, if all are. */
#define ALLOW_WITHOUT(name, index, bits) \
	ANSWER_BY(name, index, bits, 0, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS)
#define ALLOW_NOT_ALL(name, index, bits) \
	ANSWER_BY(name, index, bits, bits, SECCOMP_RET_KILL_PROCESS, SECCOMP_RET_ALLOW)
#define ALLOW_WITH(name, index, bits) \
	ANSWER_BY(name, index, bits, bits, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS)

/* The most frequent first. */
static struct sock_filter rules[] = {
	LOAD(arch),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 1, 0),
	ANSWER(SECCOMP_RET_KILL_PROCESS),
	LOAD(nr),
	ALLOW(futex),
	ALLOW(membarrier),
	ALLOW(sched_yield),
	ALLOW(clock_gettime),
	ALLOW(clock_nanosleep),
	ALLOW(nanosleep),
	ALLOW(poll),
	ALLOW(ppoll),
	ALLOW(read),
	ALLOW(pread64),
	ALLOW(write),
	ALLOW(close),
	ALLOW(lseek),
	ALLOW(fstat),
	ALLOW(newfstatat),
	ALLOW(munmap),
	ALLOW(madvise),
	ALLOW(brk),
	ALLOW(memfd_create),
	ALLOW(fcntl),
	ALLOW(getpid),
	ALLOW(gettid),
	ALLOW(getrandom),
	ALLOW(sched_getaffinity),
	ALLOW(set_robust_list),
	ALLOW(rseq),
	ALLOW(rt_sigprocmask),
	ALLOW(rt_sigreturn),
	ALLOW(sigaltstack),
	ALLOW(exit),
	ALLOW(exit_group),
	ALLOW(restart_syscall),
	ALLOW(sendmsg), /* on the one socket there is, to the client */
	/* No page is ever writable and executable. */
	ALLOW_NOT_ALL(mmap, 2, PROT_WRITE | PROT_EXEC),
	ALLOW_NOT_ALL(mprotect, 2, PROT_WRITE | PROT_EXEC),
	/* Files are read and not made: the code of kernels, by way of /proc. */
	ALLOW_WITHOUT(openat, 2, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC),
	/* Threads, and no processes. The flags of clone3() cannot be seen from here. */
	ALLOW_WITH(clone, 0, CLONE_THREAD | CLONE_VM),
	REFUSE(clone3, ENOSYS),
	/* Names of threads and mappings, which nothing depends on. */
	REFUSE(prctl, EPERM),
	REFUSE(readlink, EPERM),
	REFUSE(uname, EPERM),
	ANSWER(SECCOMP_RET_KILL_PROCESS),
};

static void limit(int resource, rlim_t most)
{
	struct rlimit now;

	if (!getrlimit(resource, &now) && now.rlim_max > most)
		setrlimit(resource, &(struct rlimit){most, most});
}

#if defined(NEMU_ASAN) || defined(NEMU_TSAN)

/* Sanitizers call what they like. */
int sandbox_enter(void)
{
	limit(RLIMIT_CORE, 0);
	(void)rules;
	return 0;
}

#else

enum {
	FILES = 512, /* one for each image, and a few */
};

int sandbox_enter(void)
{
	const struct sock_fprog program = {sizeof rules / sizeof rules[0], rules};

	limit(RLIMIT_CORE, 0);
	limit(RLIMIT_NOFILE, FILES);
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
		syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program))
		return -errno;
	return 0;
}

#endif
