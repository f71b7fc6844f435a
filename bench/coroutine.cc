/* coroutine.cc - two C++20 coroutines resumed in turns; peer_coroutine.c measures it. */
#include <coroutine>
#include <cstdint>
#include <cstdlib>

#include "bench/coroutine.h"

namespace
{

struct task {
	struct promise_type {
		task get_return_object()
		{
			return {std::coroutine_handle<promise_type>::from_promise(*this)};
		}
		std::suspend_always initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_always final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
		}
		/* So that a program in C needs no library of C++. */
		static void *operator new(std::size_t nbytes)
		{
			return std::malloc(nbytes);
		}
		static void operator delete(void *frame)
		{
			std::free(frame);
		}
	};
	std::coroutine_handle<promise_type> handle;
};

task count_resumes(uint64_t *count)
{
	for (;;) {
		++*count;
		co_await std::suspend_always{};
	}
}

} // namespace

uint64_t bench_resume_in_turns(uint64_t resumes)
{
	uint64_t count = 0;
	task tasks[2] = {count_resumes(&count), count_resumes(&count)};
	task *volatile first = tasks; /* the compiler does not know which is resumed */

	for (uint64_t i = 0; i < resumes; i++)
		first[i % 2].handle.resume();
	for (task &one : tasks)
		one.handle.destroy();
	return count;
}
