#include "tests/emu/dsa/instructions.h"

#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

struct instructions_met instructions_met;

static struct ndsa_control *the_control;

enum {
	ZERO_FLAG = 1 << 6,
	OTHER_FLAGS = 1 << 0 | 1 << 2 | 1 << 4 | 1 << 7 | 1 << 11,
	WORDS = 8, /* of 64 bytes */
};

/* The order of registers in instructions. */
static const int registers[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI,
	REG_RDI, REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

/*
 *     prefix  [rex]  0f 38 f8  modrm ...     66: MOVDIR64B  f2: ENQCMD
 *     prefix  [rex]  0f ae     modrm         66: TPAUSE  f2: UMWAIT  f3: UMONITOR
 */
struct instruction {
	uint8_t prefix, rex, modrm;
	bool is_store;
	const uint8_t *after_modrm;
};

static bool decode(const uint8_t *at, struct instruction *instruction)
{
	memset(instruction, 0, sizeof *instruction);
	if (*at != 0x66 && *at != 0xf2 && *at != 0xf3)
		return false;
	instruction->prefix = *at++;
	if ((*at & 0xf0) == 0x40)
		instruction->rex = *at++;
	if (at[0] == 0x0f && at[1] == 0x38 && at[2] == 0xf8) {
		instruction->is_store = true;
		at += 3;
	} else if (at[0] == 0x0f && at[1] == 0xae && (at[2] >> 3 & 7) == 6) {
		at += 2;
	} else {
		return false;
	}
	instruction->modrm = *at;
	instruction->after_modrm = at + 1;
	return true;
}

static uint64_t value_of(const greg_t *registers_now, unsigned number)
{
	return (uint64_t)registers_now[registers[number]];
}

static int32_t displacement(const uint8_t **at, unsigned nbytes)
{
	int32_t value = 0;

	memcpy(&value, *at, nbytes);
	*at += nbytes;
	return nbytes == 1 ? (int8_t)value : value;
}

/* The address of the memory operand; *next is where the next instruction begins. */
static uint64_t operand(
	const struct instruction *instruction, const greg_t *now, const uint8_t **next)
{
	unsigned mod = instruction->modrm >> 6, rm = instruction->modrm & 7;
	const uint8_t *at = instruction->after_modrm;
	uint64_t address = 0;

	if (rm == 4) {
		uint8_t sib = *at++;
		unsigned index = (sib >> 3 & 7) | (instruction->rex & 2 ? 8 : 0);
		unsigned base = (sib & 7) | (instruction->rex & 1 ? 8 : 0);

		address = index == 4 ? 0 : value_of(now, index) << (sib >> 6);
		if ((sib & 7) == 5 && !mod)
			address += (uint64_t)(int64_t)displacement(&at, 4);
		else
			address += value_of(now, base);
	} else if (rm == 5 && !mod) {
		address = (uint64_t)(int64_t)displacement(&at, 4);
		address += (uintptr_t)at;
	} else {
		address = value_of(now, rm | (instruction->rex & 1 ? 8 : 0));
	}
	if (mod == 1 || mod == 2)
		address += (uint64_t)(int64_t)displacement(&at, mod == 1 ? 1 : 4);
	*next = at;
	return address;
}

/* The first word last, by which the model sees that there is a descriptor. */
static void store_words(uint64_t *to, const uint64_t *from, uint64_t first)
{
	for (unsigned i = 1; i < WORDS; i++)
		__atomic_store_n(&to[i], from[i], __ATOMIC_RELAXED);
	__atomic_store_n(&to[0], first, __ATOMIC_RELEASE);
}

static bool is_refused(const uint64_t *to)
{
	uint64_t left = the_control ? ndsa_get(&the_control->refuse) : 0;

	if (left && left != NDSA_NEVER)
		ndsa_set(&the_control->refuse, left - 1);
	return left || __atomic_load_n(to, __ATOMIC_ACQUIRE);
}

static void do_store(const struct instruction *instruction, greg_t *now, const uint8_t **next)
{
	unsigned reg = (instruction->modrm >> 3 & 7) | (instruction->rex & 4 ? 8 : 0);
	const uint64_t *from = (const uint64_t *)(uintptr_t)operand(instruction, now, next);
	uint64_t *to = (uint64_t *)(uintptr_t)value_of(now, reg);

	if (instruction->prefix == 0x66) {
		instructions_met.movdir64b++;
		store_words(to, from, from[0]);
		return;
	}
	instructions_met.enqcmd++;
	now[REG_EFL] &= ~(greg_t)(OTHER_FLAGS | ZERO_FLAG);
	if (is_refused(to))
		now[REG_EFL] |= ZERO_FLAG;
	else
		store_words(to, from, (from[0] & ~0xfffffull) | (unsigned)getpid());
}

static void count_wait(uint8_t prefix)
{
	if (prefix == 0x66)
		instructions_met.tpause++;
	else if (prefix == 0xf2)
		instructions_met.umwait++;
	else
		instructions_met.umonitor++;
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	greg_t *now = ((ucontext_t *)context)->uc_mcontext.gregs;
	const uint8_t *next = (const uint8_t *)now[REG_RIP];
	struct instruction instruction;

	(void)info;
	if (!decode(next, &instruction)) {
		signal(number, SIG_DFL);
		return;
	}
	if (instruction.is_store) {
		do_store(&instruction, now, &next);
	} else {
		count_wait(instruction.prefix);
		next = instruction.after_modrm;
	}
	now[REG_RIP] = (greg_t)(uintptr_t)next;
}

void instructions_emulate(struct ndsa_control *control)
{
	struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO};

	the_control = control;
	sigaction(SIGILL, &action, NULL);
	/* ENQCMD of a process that has no number for devices. */
	sigaction(SIGSEGV, &action, NULL);
}
