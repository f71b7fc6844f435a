/*
 * wake.pml - how a place sleeps, as in channels/wake.h: one sleeper, SENDERS senders of COUNT lines each.
 *
 * Spin's memory is sequentially consistent, so every processor has a store buffer here: a store goes into it, and
 * into memory some time later. Usually in order (x86); with WEAK, payloads, heads and the wake word each in their
 * own time, but a head never before its payload, which release order forbids (RISC-V). Loads see
 * memory. A system call empties the caller's buffer; membarrier empties each sender's at some moment.
 *
 * Claim: every line is taken in the end. A wake-up that is lost leaves the sleeper in an invalid end state.
 *
 * Options that are wrong:
 *   NO_MEMBARRIER    no fence at all
 *   FENCE_OF_SLEEPER a fence of the sleeper's own processor only
 *   NO_SECOND_LOOK   the sleeper looked for lines only before it announced its sleep
 *   PLAIN_SLEEP      sleeps whatever the word says
 *   CLEAR_LATE       a sender wakes first, and stores the 0 after that
 */
#ifndef SENDERS
#define SENDERS 2
#endif
#ifndef COUNT
#define COUNT 2
#endif

#define SLEEPER SENDERS
#define SLOTS (SENDERS * COUNT)
#define PAYLOAD(sender, i) ((sender) * COUNT + (i))
#define HEAD(sender, i) (SLOTS + (sender) * COUNT + (i))
#define WORD (2 * SLOTS)
#define BUFFERED 4

byte memory[2 * SLOTS + 1];
bool is_waiting; /* the sleeper, in the kernel */

#ifdef WEAK
#define KINDS 3 /* of stores with an order of their own */
#define KIND(address) ((address) == WORD -> 2 : ((address) >= SLOTS -> 1 : 0))
#else
#define KINDS 1
#define KIND(address) 0
#endif
#define BUFFER(self, kind) buffer[(self) * KINDS + (kind)]

chan buffer[(SENDERS + 1) * KINDS] = [BUFFERED] of { byte, byte };

#define STORE(self, address, value) BUFFER(self, KIND(address))!(address), (value)

#ifdef WEAK
#define HOLDS_STORES(self) (len(BUFFER(self, 0)) + len(BUFFER(self, 1)) + len(BUFFER(self, 2)) > 0)
#else
#define HOLDS_STORES(self) (len(BUFFER(self, 0)) > 0)
#endif

#ifdef WEAK
byte payloads[SENDERS + 1], heads[SENDERS + 1]; /* that have come to memory */
#endif

/* Moves one store to memory. */
inline drain(self)
{
	if
	:: BUFFER(self, 0)?address, value
#ifdef WEAK
		-> payloads[self]++
	:: heads[self] < payloads[self] && len(BUFFER(self, 1)) > 0 ->
		BUFFER(self, 1)?address, value;
		heads[self]++
	:: BUFFER(self, 2)?address, value
#endif
	fi;
	memory[address] = value;
	address = 0;
	value = 0
}

proctype Memory(byte self)
{
	byte address, value;

end_idle:
	do
	:: atomic { drain(self) }
	od
}

inline drain_all(self)
{
	atomic {
		do
		:: HOLDS_STORES(self) -> drain(self)
		:: else -> break
		od
	}
}

#define HAS_LINE(sender) (next[sender] < COUNT && memory[HEAD(sender, next[sender])] > 0)

proctype Sleeper()
{
	byte next[SENDERS];
	byte taken, sender;
	bool found;
	byte address, value;

	do
	:: taken == SLOTS -> break
	:: else ->
		/* takes what is there */
		found = false;
		sender = 0;
		do
		:: sender == SENDERS -> break
		:: atomic {
			sender < SENDERS && HAS_LINE(sender) ->
			assert(memory[PAYLOAD(sender, next[sender])] == next[sender] + 1);
			next[sender]++;
			taken++;
			found = true
		   }
		:: atomic { sender < SENDERS && !HAS_LINE(sender) -> sender++ }
		od;
		if
		:: found
		:: else ->
			STORE(SLEEPER, WORD, 1);
#ifdef FENCE_OF_SLEEPER
			drain_all(SLEEPER);
#else
#ifndef NO_MEMBARRIER
			drain_all(SLEEPER);
			sender = 0;
			do
			:: sender < SENDERS ->
				drain_all(sender);
				sender++
			:: else -> break
			od;
#endif
#endif
			sender = 0;
#ifndef NO_SECOND_LOOK
			do
			:: sender == SENDERS -> break
			:: atomic { sender < SENDERS && HAS_LINE(sender) -> found = true; break }
			:: atomic { sender < SENDERS && !HAS_LINE(sender) -> sender++ }
			od;
#endif
			if
			:: found
			:: else ->
				drain_all(SLEEPER);
				atomic {
#ifdef PLAIN_SLEEP
					is_waiting = true
#else
					is_waiting = (memory[WORD] == 1)
#endif
				};
				!is_waiting
			fi;
			STORE(SLEEPER, WORD, 0)
		fi
	od
}

proctype Sender(byte self)
{
	byte i, address, value;

	do
	:: i < COUNT ->
		STORE(self, PAYLOAD(self, i), i + 1);
		STORE(self, HEAD(self, i), 1);
		if
		:: memory[WORD] == 1 ->
#ifdef CLEAR_LATE
			drain_all(self);
			is_waiting = false;
			STORE(self, WORD, 0)
#else
			STORE(self, WORD, 0);
			drain_all(self); /* the system call does */
			is_waiting = false
#endif
		:: else
		fi;
		i++
	:: else -> break
	od
}

init {
	byte i;

	atomic {
		do
		:: i <= SENDERS -> run Memory(i); i++
		:: else -> break
		od;
		i = 0;
		do
		:: i < SENDERS -> run Sender(i); i++
		:: else -> break
		od;
		run Sleeper()
	}
}
