/*
 * close.pml - closing and the recycling of a pipe's id, as in channels/end.c, receive.c, owe.c and move.c.
 *
 * Place 0, the host, makes a pipe, gives the reading end to place 2, which becomes its home, and WRITERS writing ends to
 * processes at place 1, writes a line itself and closes. Each writer writes at most DATA lines and closes at any time, the
 * reader too, or at end of file. When every place has released the id, the host uses it again, USES times in all.
 * Lines to different places overtake each other: SPAWN and ATTACH, CLOSE and ATTACH, CREDIT and SPAWN. A place
 * never waits for room: what it owes is a flag (`due_`), paid when there is some.
 *
 * The home gives a credit back for every line; so one pipe makes the traffic of several whose window is 1.
 * The number of the use in each line is the model's own, for the claims.
 *
 * Claims: no line of one use is read in another; no line that makes no sense; end of file only after all data of all writers;
 * the id comes back, and no line about it is left then; no deadlock.
 *
 * bound: 1 id, 2 uses, FIFOs of 2 lines, 2 writers in place 1 of 1 line each, 1 line of the host; once with windows of 4
 * runs: USES=1,WRITERS=1,DATA=4,WINDOW=4
 * variants: ID_REUSED_EARLY CLOSE_NOT_COUNTED CORE_WAITS,USES=1,WRITERS=1,DATA=4,WINDOW=4
 *   ID_REUSED_EARLY    the host recycles the id when its CLOSE is sent, not when all RELEASEs have come
 *   CLOSE_NOT_COUNTED  CLOSE says that the place has no writer, not how many it closed
 *   CORE_WAITS         a core takes no line while it waits for room
 */
#ifndef USES
#define USES 2
#endif
#ifndef LINES
#define LINES 2
#endif
#ifndef WRITERS
#define WRITERS 2
#endif
#ifndef DATA
#define DATA 1
#endif
#ifndef WINDOW
#define WINDOW 1
#endif

mtype = { SPAWN, ATTACH, SENT, CREDIT, CLOSE, CLOSED, BROKEN, RELEASE };

/* Kind, place that it concerns, count, use. Host to writer, host to home, and so on. */
chan host_writer = [LINES] of { mtype, byte, byte, byte };
chan host_home = [LINES] of { mtype, byte, byte, byte };
chan writer_host = [LINES] of { mtype, byte, byte, byte };
chan writer_home = [LINES] of { mtype, byte, byte, byte };
chan home_host = [LINES] of { mtype, byte, byte, byte };
chan home_writer = [LINES] of { mtype, byte, byte, byte };

/* What the claims need: of the current use. */
byte current;
byte writing; /* writing ends that are open or on their way */
byte sent;    /* lines of data */
bool writer_knows, home_knows;

/* ---- place 1: writes ------------------------------------------------------------------------------------ */

#define W_NEEDED (writers || opened || closing || expected)
#define W_RETIRE due_release = (W_NEEDED || due_close || given == 0 -> due_release : 1)

inline writer_opens()
{
	if
	:: writer_knows -> assert(used == use)
	:: else -> writer_knows = true; used = use
	fi
}

inline writer_hears()
{
	writer_opens();
	if
	:: home != 2 -> home = 2; credit = 0
	:: else
	fi;
	expected = (writers == 0 -> 1 : expected)
}

inline writer_handles()
{
	if
	:: kind == SPAWN -> writer_opens(); given++; opened++; writers++; todo = todo + DATA; expected = 0
	:: kind == CREDIT -> writer_hears(); credit = credit + n
	:: kind == BROKEN -> writer_hears(); broken = 1
	:: kind == CLOSED ->
		assert(writer_knows && used == use && closing);
		closing = 0;
		if
		:: home == 2 -> credit = 0; expected = 0
		:: else
		fi;
		if
		:: writers > 0
		:: writers == 0 && opened > 0 -> due_close = 1
		:: else -> W_RETIRE
		fi
	:: else -> assert(false)
	fi;
	kind = 0; n = 0; use = 0
}

#define W_SEND_CLOSE(fifo) \
	fifo!CLOSE,1,opened,used; opened = 0; credit = 0; closing = 1; expected = 0; due_close = 0
#ifdef CORE_WAITS
#define W_TAKES (!due_close && !due_release)
#else
#define W_TAKES true
#endif

proctype Writer()
{
	byte used, home, writers, opened, given, credit, todo;
	bit closing, expected, broken, due_close, due_release;
	mtype kind;
	byte n, use;

end:	do
	:: d_step { W_TAKES && nempty(host_writer) -> host_writer?kind,_,n,use; writer_handles() }
	:: d_step { W_TAKES && nempty(home_writer) -> home_writer?kind,_,n,use; writer_handles() }
	:: d_step { writers && todo && credit && !closing && !broken && nfull(writer_home) ->
		writer_home!SENT,1,0,used; credit--; todo--; sent++ }
	:: d_step { writers && !due_close ->
		writers--; writing--;
		todo = (writers -> todo : 0);
		due_close = (writers == 0 && !closing) }
	:: d_step { due_close && writers -> due_close = 0 }
	:: d_step { due_close && !writers && home == 0 && nfull(writer_host) -> W_SEND_CLOSE(writer_host) }
	:: d_step { due_close && !writers && home == 2 && nfull(writer_home) -> W_SEND_CLOSE(writer_home) }
	:: d_step { due_release && W_NEEDED -> due_release = 0 }
	:: d_step { due_release && !W_NEEDED && !due_close && nfull(writer_host) ->
		writer_host!RELEASE,1,given,used;
		used = 0; home = 0; given = 0; credit = 0; broken = 0; due_release = 0;
		writer_knows = false }
	od
}

/* ---- place 2: the home ---------------------------------------------------------------------------------- */

#define H_IN_USE(p) (balance[p] != 0 || due_closed[p] || due_broken[p] || due_credit[p])
#define H_NEEDED (reader || H_IN_USE(0) || H_IN_USE(1))
#define H_RETIRE due_release = (H_NEEDED || given == 0 -> due_release : 1)
#define H_HAS_NO_WRITER (balance[0] == 0 && balance[1] == 0)

inline welcome(p)
{
	if
	:: broken -> due_broken[p] = 1
	:: !broken && window[p] == 0 -> window[p] = WINDOW; owed[p] = WINDOW; due_credit[p] = 1
	:: else
	fi
}

inline home_handles()
{
	assert(kind == SPAWN || (home_knows && used == use));
	if
	:: kind == SPAWN ->
		assert(!home_knows);
		home_knows = true; used = use; given = 1; reader = 1;
		balance[0] = 1; window[0] = 1; out[0] = 1
	:: kind == ATTACH ->
		balance[p] = balance[p] + n;
		if
		:: balance[p] > 0 -> welcome(p)
		:: else -> H_RETIRE
		fi
	:: kind == SENT ->
		assert(out[p] > 0);
		out[p]--; owed[p]++;
		if
		:: broken
		:: else -> got++; due_credit[p] = 1
		fi
	:: kind == CLOSE ->
		window[p] = 0; out[p] = 0; owed[p] = 0; due_credit[p] = 0;
#ifdef CLOSE_NOT_COUNTED
		balance[p] = 0;
#else
		balance[p] = balance[p] - n;
#endif
		due_broken[p] = 0; due_closed[p] = 1;
		if
		:: balance[p] > 0 -> welcome(p)
		:: else
		fi
	:: else -> assert(false)
	fi;
	kind = 0; p = 0; n = 0; use = 0
}

inline break_pipe()
{
	reader = 0; broken = 1;
	due_broken[0] = (balance[0] > 0 -> 1 : due_broken[0]);
	due_broken[1] = (balance[1] > 0 -> 1 : due_broken[1]);
	H_RETIRE
}

/* In this order: CLOSED, BROKEN, CREDIT. */
#define H_OWES(p) (due_closed[p] || due_broken[p] || due_credit[p])
inline pay_account(p, fifo)
{
	if
	:: due_closed[p] -> fifo!CLOSED,0,0,used; due_closed[p] = 0
	:: !due_closed[p] && due_broken[p] -> fifo!BROKEN,0,0,used; due_broken[p] = 0
	:: else -> fifo!CREDIT,0,owed[p],used; out[p] = out[p] + owed[p]; owed[p] = 0; due_credit[p] = 0
	fi;
	H_RETIRE
}

#ifdef CORE_WAITS
#define H_TAKES (!H_OWES(0) && !H_OWES(1) && !due_release)
#else
#define H_TAKES true
#endif

proctype Home()
{
	byte used, given, got;
	short balance[2];
	byte window[2], out[2], owed[2];
	bit due_closed[2], due_broken[2], due_credit[2];
	bit reader, broken, due_release;
	mtype kind;
	byte p, n, use;

end:	do
	:: d_step { H_TAKES && nempty(host_home) -> host_home?kind,p,n,use; home_handles() }
	:: d_step { H_TAKES && nempty(writer_home) -> writer_home?kind,p,n,use; home_handles() }
	:: d_step { reader && H_HAS_NO_WRITER -> assert(got == sent && writing == 0); break_pipe() }
	:: d_step { reader && !H_HAS_NO_WRITER -> break_pipe() }
	:: d_step { H_OWES(0) && nfull(home_host) -> pay_account(0, home_host) }
	:: d_step { H_OWES(1) && nfull(home_writer) -> pay_account(1, home_writer) }
	:: d_step { due_release && H_NEEDED -> due_release = 0 }
	:: d_step { due_release && !H_NEEDED && nfull(home_host) ->
		home_host!RELEASE,2,given,used;
		used = 0; given = 0; got = 0; broken = 0; due_release = 0;
		window[0] = 0; out[0] = 0; owed[0] = 0;
		home_knows = false }
	od
}

/* ---- place 0: the host ---------------------------------------------------------------------------------- */

#define NOTHING_UNDER_WAY (empty(host_writer) && empty(host_home) && empty(writer_host) && \
	empty(writer_home) && empty(home_host) && empty(home_writer))
#define MAKE 0
#define GIVE_WRITERS 1
#define WRITE 2
#define DROP 3
#define WAIT 4

inline host_handles()
{
	assert(use == current && state != MAKE);
	if
	:: kind == CREDIT -> credit = credit + n
	:: kind == BROKEN -> broken = 1
	:: kind == CLOSED -> assert(closing); closing = 0; credit = 0
	:: kind == CLOSE -> forward!CLOSE,p,n
	:: kind == RELEASE -> assert(n <= given); given = given - n
	:: else -> assert(false)
	fi;
	kind = 0; p = 0; n = 0; use = 0
}

#ifdef ID_REUSED_EARLY
#define FORGETS (state == WAIT && !due_close && empty(forward))
#else
#define FORGETS (state == WAIT && !due_close && !closing && empty(forward) && given == 0)
#endif

proctype Host()
{
	chan forward = [2 * WRITERS] of { mtype, byte, byte };
	byte state, given, credit, gave;
	bit closing, broken, due_close;
	mtype kind;
	byte p, n, use;

	do
	:: d_step { nempty(writer_host) -> writer_host?kind,p,n,use; host_handles() }
	:: d_step { nempty(home_host) -> home_host?kind,p,n,use; host_handles() }
	:: d_step { nempty(forward) && nfull(host_home) -> forward?kind,p,n; host_home!kind,p,n,current;
		kind = 0; p = 0; n = 0 }
	:: d_step { due_close && empty(forward) && nfull(host_home) ->
		host_home!CLOSE,0,1,current; credit = 0; closing = 1; due_close = 0 }
	:: d_step { state == MAKE && current < USES && nfull(host_home) ->
		writing = 1; sent = 0;
		host_home!SPAWN,0,1,current; given = 1; credit = 1; gave = 0; broken = 0;
		state = GIVE_WRITERS }
	:: d_step { state == GIVE_WRITERS && gave < WRITERS && nfull(host_writer) ->
		host_writer!SPAWN,0,1,current; given++; gave++; writing++;
		forward!ATTACH,1,1;
		state = (gave == WRITERS -> WRITE : GIVE_WRITERS) }
	:: d_step { state == WRITE && credit && !broken && empty(forward) && nfull(host_home) ->
		host_home!SENT,0,0,current; credit--; sent++; state = DROP }
	:: d_step { state == WRITE && broken -> state = DROP }
	:: d_step { state == DROP -> writing--; due_close = 1; state = WAIT }
	:: d_step { FORGETS ->
#ifndef ID_REUSED_EARLY
		assert(!writer_knows && !home_knows && NOTHING_UNDER_WAY);
#endif
		given = 0; closing = 0; credit = 0; broken = 0;
		current++; state = MAKE }
	:: state == MAKE && current == USES -> break
	od
}

init {
	atomic {
		run Host();
		run Writer();
		run Home()
	}
}
