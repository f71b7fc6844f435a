/*
 * call.pml - a request and its answer in one line, as in channels/call.c, over several uses of the line and of the pipe's id.
 *
 * The host asks at most CALLS times in each use. It waits for the answer, or gives up at any moment, and then must wait for
 * the old answer before it asks again. It may close at any time between two calls. The core's process reads and answers; it
 * may end at any time, also between request and answer. SPAWN, CLOSE, BROKEN and RELEASE go over FIFOs, here in order;
 * what is stored into the line is not, but each store, of two words of payload and of the head, is a step of its own. A
 * processor's stores and its loads are in order as far as it says so by release and acquire; the rest, who sleeps and who
 * wakes whom, is wake.pml's.
 *
 * Claims: the two sides never store at the same time; a request is read once, and whole; an answer is taken for its own
 * request; what was asked before CLOSE is read before end of file; what was answered before BROKEN is taken before that is
 * told; nothing waits for ever.
 *
 * bound: 3 uses of 4 calls each
 * variants: HEAD_FIRST ANSWER_HEAD_FIRST NO_WAIT_FOR_LATE NO_FIRST_HEAD END_FIRST BROKEN_FIRST REUSED_EARLY NOBODY_NOT_COUNTED
 *   HEAD_FIRST          the host stores the head before the payload
 *   ANSWER_HEAD_FIRST   the core does
 *   NO_WAIT_FOR_LATE    after a call that was given up, the next request is stored at once
 *   NO_FIRST_HEAD       the host leaves in the line what the use before has left there
 *   END_FIRST           the core tells of CLOSE before it looks at the line
 *   BROKEN_FIRST        the host tells of BROKEN before it looks at the line
 *   REUSED_EARLY        the line is used again when CLOSE was sent, not when RELEASE has come
 *   NOBODY_NOT_COUNTED  an answer that nobody waits for any more does not count as one
 */
#ifndef USES
#define USES 3
#endif
#ifndef CALLS
#define CALLS 4
#endif

mtype = { SPAWN, CLOSE, BROKEN, RELEASE };

chan down = [2] of { mtype };
chan up = [3] of { mtype };

/* The line. */
#define REQUEST(serial) (16 + (serial))
#define ANSWER(serial) (32 + (serial))
byte word[2];
byte head;

/* For the claims: each request has a value of its own, which is also its answer. */
byte asked, read, answered;
bool host_stores, core_stores;

inline check_turns()
{
	assert(!host_stores || !core_stores)
}

inline store_request()
{
	host_stores = true;
	check_turns();
#ifdef HEAD_FIRST
	head = REQUEST(serial);
#endif
	word[0] = asked;
	word[1] = asked;
#ifndef HEAD_FIRST
	d_step {
		head = REQUEST(serial);
		host_stores = false
	}
#else
	host_stores = false
#endif
}

inline store_answer()
{
	core_stores = true;
	check_turns();
#ifdef ANSWER_HEAD_FIRST
	head = ANSWER(expected);
#endif
	word[0] = value[0];
	word[1] = value[1];
	d_step {
#ifndef ANSWER_HEAD_FIRST
		head = ANSWER(expected);
#endif
		core_stores = false;
		answered = value[0]
	}
}

inline take_answer()
{
	got[0] = word[0];
	got[1] = word[1];
	assert(got[0] == asked && got[1] == asked);
	got[0] = 0;
	got[1] = 0
}

/* Nobody answers any more; what was answered before is in the line. */
inline hear_broken()
{
	broken = true;
	if
#ifndef BROKEN_FIRST
	:: head == ANSWER(serial) ->
		if
		:: is_late -> is_late = false
		:: else -> take_answer()
		fi
	:: else ->
#else
	:: true ->
#endif
		assert(answered != asked);
		is_late = false
	fi
}

inline call()
{
	if
	:: is_late ->
#ifndef NO_WAIT_FOR_LATE
		if
		:: head == ANSWER(serial) -> is_late = false
		:: up?BROKEN -> hear_broken()
		:: true -> skip /* time is over again */
		fi
#else
		is_late = false
#endif
	:: else
	fi;
	if
	:: !is_late && !broken ->
		d_step {
			asked++;
			serial++
		}
		store_request();
		if
		:: head == ANSWER(serial) -> take_answer()
		:: up?BROKEN -> hear_broken()
		:: true -> is_late = true
		fi
	:: else
	fi
}

proctype Host()
{
	byte use, calls, serial;
	byte got[2];
	bool is_late, broken;

	do
	:: use < USES ->
		d_step {
			serial = 0;
			calls = 0;
			is_late = false;
			broken = false;
			read = asked /* what the use before has left unread stays so */
		}
#ifndef NO_FIRST_HEAD
		assert(!core_stores);
		head = ANSWER(0);
#endif
		down!SPAWN;
		do
		:: calls < CALLS -> call(); calls++
		:: break
		od;
		down!CLOSE;
#ifndef REUSED_EARLY
		do
		:: up?BROKEN
		:: up?RELEASE -> break
		od;
#endif
		use++
	:: else -> break
	od
#ifdef REUSED_EARLY
	;
end_of_uses:
	do
	:: up?_
	od
#endif
}

proctype Core()
{
	byte expected;
	byte value[2];
	bool is_open, reads, has_writer, is_out;

end_idle:
	do
	:: !is_open && down?[SPAWN] ->
		down?SPAWN;
		d_step {
			is_open = true;
			reads = true;
			has_writer = true;
			is_out = false;
			expected = 1
		}
	:: is_open && down?[CLOSE] -> down?CLOSE; has_writer = false
	:: reads && !is_out && head == REQUEST(expected) ->
		value[0] = word[0];
		value[1] = word[1];
		assert(value[0] == asked && value[1] == asked && value[0] != read);
		d_step {
			read = value[0];
			is_out = true
		}
	:: reads && is_out ->
		if
		:: has_writer -> store_answer(); expected++
		:: else ->
#ifndef NOBODY_NOT_COUNTED
			expected++
#else
			skip
#endif
		fi;
		d_step {
			is_out = false;
			value[0] = 0;
			value[1] = 0
		}
	/* End of file. */
#ifndef END_FIRST
	:: reads && !is_out && !has_writer && head != REQUEST(expected) ->
#else
	:: reads && !is_out && !has_writer ->
#endif
		assert(read == asked);
		reads = false
	/* It ends or is killed. */
	:: reads ->
		d_step {
			reads = false;
			is_out = false
		}
		if
		:: has_writer -> up!BROKEN
		:: else
		fi
	:: is_open && !reads && !has_writer -> is_open = false; up!RELEASE
	od
}

init
{
	atomic {
		run Host();
		run Core()
	}
}
