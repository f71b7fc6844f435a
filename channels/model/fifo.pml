/*
 * fifo.pml - one port: two FIFOs between side 0 (host) and side 1 (core), as in channels/fifo.h.
 *
 * Each side sends MESSAGES messages of MESSAGE lines, a message only when there is room for all of it, and takes what
 * the other sends. It takes all that is there before it reports, and sleeps when nothing is left to do, until a
 * line comes.
 *
 * Claims: lines arrive once, in order, whole; a stored line never overwrites one that was not taken; everything is sent and
 * taken in the end (a side that sleeps unfinished is an invalid end state: a deadlock); cursors do not cause
 * cursors without end; what was sent before a reset is not taken after it.
 *
 * Sizes, in lines but for the last: LINES QUARTER MESSAGE MESSAGES
 * Options that are right:
 *   TORN    a line is two stores, payload and head, and two loads; else it is one step
 *   RESET   the device resets once, at any time; the host notices later
 *   POLLS   a sleeper looks at the producer's `asked` word, too; needed only by messages of more than LINES - QUARTER lines
 *   CURSOR_ONLY_QUARTER  no report before sleep, none when asked: right for messages up to that length, wrong above
 * variants: NO_CURSOR_SLOT,MESSAGE=3 CURSOR_ONLY_QUARTER,MESSAGE=3 HEAD_FIRST REPORT_EARLY CURSORS_ARE_ORDINARY
 */
#ifndef LINES
#define LINES 4
#endif
#ifndef QUARTER
#define QUARTER 2
#endif
#ifndef MESSAGE
#define MESSAGE 2
#endif
#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifdef NO_CURSOR_SLOT
#define KEPT 0
#else
#define KEPT 1
#endif

#define CURSOR 0
#define DATA 1

typedef Slot {
	byte payload;
	/* the head, stored and loaded as one word */
	bit phase;
	byte generation;
	bit kind
};

Slot slot[2 * LINES]; /* side 0's FIFO to side 1, then side 1's to side 0 */
byte reported[2];     /* by each side, of what it took from the other */
byte asked[2];        /* of each side's lines that are not reported, how many it has asked about */
byte generation = 1;  /* the region's, raised by a reset */
bit finished[2];
byte late[2]; /* lines that a side stored after all work was done */

/* Positions count modulo two passes, which is more than two positions can be apart. */
#define WRAP (2 * LINES)
#define DISTANCE(from, to) (((to) + WRAP - (from)) % WRAP)
#define NEXT(i) (((i) + 1) % WRAP)

#define OUT(i) slot[self * LINES + (i) % LINES]
#define IN(i) slot[(1 - self) * LINES + (i) % LINES]
#define PHASE(i) (1 - ((i) / LINES) % 2)
#ifdef NO_GENERATION
#define IS_OURS(i) (IN(i).generation != 0)
#else
#define IS_OURS(i) (IN(i).generation == mine)
#endif
#define HAS_LINE (IN(next).phase == PHASE(next) && IS_OURS(next))
#define USED DISTANCE(consumed, tail)
#define HAS_ROOM(n) (USED + (n) <= LINES - KEPT)
#define CURSOR_ROOM (USED < LINES)
#define MAY_SEND (part > 0 || (sent < MESSAGES && HAS_ROOM(MESSAGE)))
#define MUST_ASK (sent < MESSAGES && !HAS_ROOM(MESSAGE) && asked[self] != DISTANCE(reported[1 - self], tail))
#define TAKEN DISTANCE(reported[self], next)
#define IS_ASKED (asked[1 - self] > 0)
#ifdef CURSOR_ONLY_QUARTER
#define DUE (TAKEN >= QUARTER)
#define DUE_BEFORE_SLEEP false
#else
#define DUE (TAKEN >= QUARTER || (TAKEN > 0 && IS_ASKED))
#ifdef CURSORS_ARE_ORDINARY
#define DUE_BEFORE_SLEEP (TAKEN > 0)
#else
#define DUE_BEFORE_SLEEP (ordinary > 0)
#endif
#endif
#ifdef POLLS
#define WAKES (HAS_LINE || mine != generation || (TAKEN > 0 && IS_ASKED && CURSOR_ROOM))
#else
#define WAKES (HAS_LINE || mine != generation)
#endif
#ifdef RESET
#define RESETS 1
#else
#define RESETS 0
#endif
#define IS_FINISHED (sent == MESSAGES && got == MESSAGES * MESSAGE)
/* A report or two may be under way when the last line has been taken, and be reported in turn. */
#define LATE_BOUND 4

/* A line's data: where it was sent, when, and since which reset. */
#define VALUE(side, count) (mine * 64 + (side) * 32 + (count))

inline start()
{
	d_step {
		mine = generation;
		tail = 0;
		consumed = 0;
		next = 0;
		reported[self] = 0;
		ordinary = 0;
		part = 0;
		sent = 0;
		got = 0;
		asked[self] = 0;
		finished[self] = 0
	}
}

inline store_payload(value)
{
	assert(USED < LINES);
	OUT(tail).payload = value
}

inline store_head(k)
{
	OUT(tail).phase = PHASE(tail);
	OUT(tail).generation = mine;
	OUT(tail).kind = k
}

inline stored()
{
	tail = NEXT(tail);
	late[self] = (finished[0] && finished[1] -> late[self] + 1 : 0);
	assert(late[self] <= LATE_BOUND)
}

#ifdef HEAD_FIRST
#define PUT(k, value) d_step { store_head(k) }; d_step { store_payload(value); stored() }
#else
#ifdef TORN
#define PUT(k, value) d_step { store_payload(value) }; d_step { store_head(k); stored() }
#else
#define PUT(k, value) d_step { store_payload(value); store_head(k); stored() }
#endif
#endif

inline note_report()
{
	asked[1 - self] = (asked[1 - self] > TAKEN -> asked[1 - self] - TAKEN : 0);
	reported[self] = next;
	ordinary = 0
}

inline load_payload(i)
{
	value = IN(i).payload;
#ifndef RESET
	IN(i).payload = 0 /* nobody looks at it again: fewer states */
#endif
}

inline understand()
{
	if
	:: kind == DATA ->
		/* A host that has not noticed a reset yet may see two lines of one slot mixed. */
		assert(mine != generation || value == VALUE(1 - self, got));
		got++;
		ordinary++
	:: else ->
		/* what the code checks of a cursor holds */
		assert(mine != generation || DISTANCE(consumed, value) <= USED);
		consumed = value
	fi;
	kind = 0;
	value = 0
}

proctype Side(bit self)
{
	byte mine, tail, consumed, next, ordinary, part, sent, got;
	byte value;
	bit kind;
	byte resets = RESETS;

again:
	start();
	do
#ifdef REPORT_EARLY
	:: d_step { HAS_LINE && CURSOR_ROOM -> kind = IN(next).kind; next = NEXT(next); note_report() };
		PUT(CURSOR, reported[self]);
		d_step { load_payload(next + WRAP - 1); understand() }
#else
#ifdef TORN
	:: d_step { HAS_LINE -> kind = IN(next).kind };
		d_step { load_payload(next); next = NEXT(next); understand() }
#else
	:: d_step { HAS_LINE -> kind = IN(next).kind; load_payload(next); next = NEXT(next); understand() }
#endif
#endif
	:: MAY_SEND ->
		PUT(DATA, VALUE(self, sent * MESSAGE + part));
		d_step {
			part = (part + 1) % MESSAGE;
			sent = (part == 0 -> sent + 1 : sent)
		}
	:: d_step { MUST_ASK -> asked[self] = DISTANCE(reported[1 - self], tail) }
	:: atomic { !HAS_LINE && DUE && CURSOR_ROOM && part == 0 -> note_report() }; PUT(CURSOR, reported[self])
	:: self == 0 && mine != generation -> goto again
	:: self == 1 && resets > 0 -> resets--; generation++; goto again
	:: else ->
		if
		:: DUE_BEFORE_SLEEP && CURSOR_ROOM -> d_step { note_report() }; PUT(CURSOR, reported[self])
		:: else ->
			if
			:: IS_FINISHED ->
				finished[self] = 1;
end_of_work:			WAKES
			:: else -> WAKES
			fi
		fi
	od
}

init {
	atomic {
		run Side(0);
		run Side(1)
	}
}
