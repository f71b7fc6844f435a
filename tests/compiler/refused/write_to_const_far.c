#include <nearside/kernel.h>

struct node {
	uint64_t value;
	const far struct node *next;
};

static void set(const far uint64_t *at)
{
	*at = 3;
}

NPROC_KERNEL int64_t writes(const far uint64_t *keys, far struct node *list)
{
	keys[0]++;
	list->value = 2;
	list->next->value = 1;
	__atomic_fetch_add(&keys[1], 1, __ATOMIC_RELAXED);
	set(keys);
	const int own = 3;
	own = 4;
	return own;
}

// expect: 10:6: error: read-only variable is not assignable
// expect: note: far memory behind a pointer to const is read-only: to write there, declare it `far uint64_t *at`
// expect: 8:37: note: 'at' is declared const here
// expect: 15:9: error: read-only variable is not assignable
// expect: note: far memory behind a pointer to const is read-only: to write there, declare it `far uint64_t *keys`
// expect: 13:49: note: 'keys' is declared const here
// expect: 17:20: error: cannot assign to non-static data member 'next' with const-qualified type 'far struct node const *'
// expect: note: far memory behind a pointer to const is read-only: to write there, declare it `far struct node *next`
// expect: 5:25: note: 'next' is declared const here
// expect: 18:2: error: address argument to atomic operation must be a pointer to non-const type ('far uint64_t const *' (aka 'const far unsigned long *') invalid)
// expect: note: far memory behind a pointer to const is read-only: to write there, declare it `far uint64_t *keys`
// expect: 13:49: note: 'keys' is declared const here
// expect: 21:6: error: cannot assign to variable 'own' with const-qualified type 'const int'
// expect: 20:12: note: variable 'own' declared const here
