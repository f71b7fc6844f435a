/*
 * pipe.pml - credits, windows and moves of one pipe, as in channels/stream.c, account.c, move.c and receive.c.
 *
 * Place 0, the host, makes the pipe and is its home. At any time it gives a writing end to place 1, one to place 2, and the
 * reading end to place 2, which becomes the home. Each writer, the host's too, writes DATA lines, and whoever has the
 * reading end reads. Lines to different places overtake each other. A place never waits for room: what it owes is a
 * flag (`due_`), paid when there is some.
 *
 * A window begins with one line and grows with use up to WINDOW; the pool of a home has POOL cells, and one
 * is kept for the first credit of each place that has none yet. DATA carries its writer and how many that had
 * written before: the model's own, for the claims.
 *
 * Claims: lines of a writer are read once and in order, all of them; no line that makes no sense, so no data beyond a credit;
 * a first credit is always there, and what is promised finds its cell; no deadlock.
 *
 * bound: 3 writers of 2 lines, windows of 2, FIFOs of 1 line; then larger ones, each in turn
 * runs: DATA=3,LINES=2,POOL=5 WRITERS=2,DATA=5,LINES=2,WINDOW=3,POOL=6 WINDOW=1,POOL=3
 * variants:
 *   NO_RECALL        the home moves while a writer elsewhere holds credits
 *   NO_RETURN        the host waits for room for its RECALL, not for the answer
 *   ATTACH_FIRST     the new home hears of other writers before it has the queue
 *   HOST_OVERTAKES   the host writes to the new home while its queue is still to be forwarded
 *   CREDIT_TWICE     what is given back stays owed
 *   CREDIT_LATE      credits go back when more than half a window is owed
 *   PROMISES_ALL,POOL=3  a window grows although the cells are kept for others
 *   KEEPS_OLD_HOME   the new home's own writer goes on asking the host
 */
#ifndef WRITERS
#define WRITERS 3 /* at the host, at core 1, beside the home at core 2 */
#endif
#ifndef DATA
#define DATA 2
#endif
#ifndef WINDOW
#define WINDOW 2
#endif
#ifndef POOL
#define POOL 4
#endif
#ifndef LINES
#define LINES 1
#endif

#define HOST 0
#define CORE 2 /* that gets the reading end */
#define PLACES 3
#define QUEUE 8

mtype = { WRITER, READER, SENT, CREDIT, RECALL, RETURN, ATTACH };

/* Kind, and a count, a place, or a writer and its line. */
chan fifo[PLACES * PLACES] = [LINES] of { mtype, byte };
#define FIFO(from, to) fifo[(from) * PLACES + (to)]
#define ROOM(from, to) nfull(FIFO(from, to))

#define LINE(writer, count) ((writer) * 16 + (count))

byte got[PLACES]; /* lines of each writer that were read */

/* ---- writing ends, by place ------------------------------------------------------------------------------ */

byte home[PLACES];
byte credit[PLACES];
byte written[PLACES];
bit writes[PLACES];
bit due_return[PLACES];

/* ---- homes: the host, then the core ----------------------------------------------------------------------- */

bit is_home[PLACES];
bit is_moving; /* the host */

chan host_queue = [QUEUE] of { mtype, byte, byte }; /* kind, account, as in a FIFO; later to be forwarded */
chan core_queue = [QUEUE] of { mtype, byte, byte };

#define ACCOUNT(h, place) ((h) / 2 * PLACES + (place))
bit attached[2 * PLACES];
byte window[2 * PLACES];
byte out[2 * PLACES];
byte owed[2 * PLACES];
bit due_credit[2 * PLACES];
bit due_recall[PLACES]; /* the host's */
bit awaits[PLACES];

#define PROMISED(h) (out[ACCOUNT(h, 0)] + out[ACCOUNT(h, 1)] + out[ACCOUNT(h, 2)] + \
	owed[ACCOUNT(h, 0)] + owed[ACCOUNT(h, 1)] + owed[ACCOUNT(h, 2)])
#define SPARE(h, queue) (POOL - len(queue) - PROMISED(h))
#define KEPT(h) ((window[ACCOUNT(h, 0)] == 0) + (window[ACCOUNT(h, 1)] == 0) + (window[ACCOUNT(h, 2)] == 0))

inline grow(h, place, queue)
{
	if
#ifdef PROMISES_ALL
	:: window[ACCOUNT(h, place)] < WINDOW && SPARE(h, queue) > 0 ->
#else
	:: window[ACCOUNT(h, place)] < WINDOW && SPARE(h, queue) > KEPT(h) ->
#endif
		window[ACCOUNT(h, place)]++; owed[ACCOUNT(h, place)]++; due_credit[ACCOUNT(h, place)] = 1
	:: else
	fi
}

/* The first credit. */
inline lend(h, place, queue)
{
	assert(SPARE(h, queue) > 0);
	window[ACCOUNT(h, place)] = 1; owed[ACCOUNT(h, place)] = 1; due_credit[ACCOUNT(h, place)] = 1
}

/* A writer at the home itself needs no line. */
inline pay_credit(h, place)
{
	if
	:: place == h
	:: else -> FIFO(h, place)!CREDIT,owed[ACCOUNT(h, place)]
	fi;
	out[ACCOUNT(h, place)] = out[ACCOUNT(h, place)] + owed[ACCOUNT(h, place)];
#ifdef CREDIT_TWICE
	owed[ACCOUNT(h, place)] = (place == h -> 0 : owed[ACCOUNT(h, place)]);
#else
	owed[ACCOUNT(h, place)] = 0;
#endif
	due_credit[ACCOUNT(h, place)] = 0
}

#ifdef CREDIT_LATE
#define DUE(a) (owed[a] * 2 > window[a] + 1)
#else
#define DUE(a) (owed[a] * 2 >= window[a])
#endif

inline read(h, queue)
{
	queue?kind,from,n;
	assert(kind == SENT && n % 16 == got[n / 16]);
	got[n / 16]++;
	if
	:: window[ACCOUNT(h, from)] > 0 ->
		owed[ACCOUNT(h, from)]++;
		if
		:: DUE(ACCOUNT(h, from)) -> due_credit[ACCOUNT(h, from)] = 1; grow(h, from, queue)
		:: else
		fi
	:: else
	fi;
	kind = 0; from = 0; n = 0
}

inline take_data(h, place, queue)
{
	assert(is_home[h] && out[ACCOUNT(h, place)] > 0 && nfull(queue));
	out[ACCOUNT(h, place)]--;
	queue!SENT,place,n;
	assert(SPARE(h, queue) >= 0)
}

/* Who writes hears where the home is by its credits. */
inline take_credit(place, giver)
{
	if
	:: home[place] != giver ->
		assert(place != HOST && home[place] == HOST);
		home[place] = giver; credit[place] = 0
	:: else
	fi;
	credit[place] = credit[place] + n
}

inline write_line(place)
{
	FIFO(place, home[place])!SENT,LINE(place, written[place]);
	credit[place]--; written[place]++
}

#define MAY_WRITE(place) (writes[place] && written[place] < DATA)
#define MAY_SEND(place) (MAY_WRITE(place) && home[place] != place && credit[place] > 0 && !due_return[place] && \
	ROOM(place, home[place]))
#define MAY_ENQUEUE(place) (MAY_WRITE(place) && home[place] == place && out[ACCOUNT(place, place)] > 0)

/* ---- place 1 --------------------------------------------------------------------------------------------- */

inline writer_takes(place, from)
{
	FIFO(from, place)?kind,n;
	if
	:: kind == WRITER -> writes[place] = 1
	:: kind == CREDIT -> take_credit(place, from)
	:: kind == RECALL -> assert(home[place] == HOST); due_return[place] = 1
	:: else -> assert(false)
	fi;
	kind = 0; n = 0
}

inline return_credit(place)
{
	FIFO(place, HOST)!RETURN,credit[place]; credit[place] = 0; due_return[place] = 0
}

proctype Writer()
{
	mtype kind;
	byte n;

end:	do
	:: d_step { nempty(FIFO(HOST, 1)) -> writer_takes(1, HOST) }
	:: d_step { nempty(FIFO(CORE, 1)) -> writer_takes(1, CORE) }
	:: d_step { MAY_SEND(1) -> write_line(1) }
	:: d_step { due_return[1] && ROOM(1, HOST) -> return_credit(1) }
	od
}

/* ---- place 2 --------------------------------------------------------------------------------------------- */

inline attach()
{
	attached[ACCOUNT(CORE, n)] = 1;
	lend(CORE, n, core_queue);
	if
#ifndef KEEPS_OLD_HOME
	:: n == CORE -> home[CORE] = CORE; credit[CORE] = 0; due_return[CORE] = 0
#endif
	:: else
	fi
}

inline core_takes(from)
{
	FIFO(from, CORE)?kind,n;
	if
	:: kind == WRITER -> writes[CORE] = 1
	:: kind == READER ->
		/* The host has one credit without being told. */
		is_home[CORE] = 1;
		attached[ACCOUNT(CORE, HOST)] = 1; window[ACCOUNT(CORE, HOST)] = 1; out[ACCOUNT(CORE, HOST)] = 1;
		grow(CORE, HOST, core_queue)
	:: kind == ATTACH -> assert(is_home[CORE] && from == HOST); attach()
	:: kind == SENT -> take_data(CORE, from, core_queue)
	:: kind == CREDIT -> take_credit(CORE, from)
	:: kind == RECALL -> assert(home[CORE] == HOST); due_return[CORE] = 1
	:: else -> assert(false)
	fi;
	kind = 0; n = 0
}

#define OWES(h, place) (due_credit[ACCOUNT(h, place)] && ((h) == (place) || ROOM(h, place)))

proctype Core()
{
	mtype kind;
	byte n, from;

end:	do
	:: d_step { nempty(FIFO(HOST, CORE)) -> core_takes(HOST) }
	:: d_step { nempty(FIFO(1, CORE)) -> core_takes(1) }
	:: d_step { is_home[CORE] && nempty(core_queue) -> read(CORE, core_queue) }
	:: d_step { OWES(CORE, 0) -> pay_credit(CORE, 0) }
	:: d_step { OWES(CORE, 1) -> pay_credit(CORE, 1) }
	:: d_step { OWES(CORE, 2) -> pay_credit(CORE, 2) }
#if WRITERS > 2
	:: d_step { MAY_SEND(CORE) -> write_line(CORE) }
	:: d_step { MAY_ENQUEUE(CORE) ->
		n = LINE(CORE, written[CORE]); written[CORE]++; take_data(CORE, CORE, core_queue); n = 0 }
	:: d_step { due_return[CORE] && ROOM(CORE, HOST) -> return_credit(CORE) }
#endif
	od
}

/* ---- place 0 --------------------------------------------------------------------------------------------- */

inline host_takes(from)
{
	FIFO(from, HOST)?kind,n;
	if
	:: kind == SENT -> take_data(HOST, from, host_queue)
	:: kind == CREDIT -> take_credit(HOST, from)
	:: kind == RETURN ->
		assert(awaits[from] && n <= out[from]);
		awaits[from] = 0; out[from] = out[from] - n; window[from] = window[from] - n
	:: else -> assert(false)
	fi;
	kind = 0; n = 0
}

inline give_writer(place)
{
	FIFO(HOST, place)!WRITER,0;
	gave[place] = 1;
	if
	:: is_home[HOST] ->
		attached[place] = 1;
		if
		:: is_moving
		:: else -> lend(HOST, place, host_queue)
		fi
	:: else -> host_queue!ATTACH,place,place
	fi
}

inline close_account(place)
{
	attached[place] = 0; window[place] = 0; out[place] = 0; owed[place] = 0;
	due_credit[place] = 0; due_recall[place] = 0
}

#ifdef NO_RECALL
#define RECALLS(place) 0
#else
#define RECALLS(place) (out[place] > 0)
#endif

inline give_reader()
{
	FIFO(HOST, CORE)!READER,0;
	close_account(HOST);
	is_moving = 1; home[HOST] = CORE; credit[HOST] = 1;
	due_credit[1] = 0; due_recall[1] = RECALLS(1);
	due_credit[2] = 0; due_recall[2] = RECALLS(2)
}

inline recall(place)
{
	FIFO(HOST, place)!RECALL,0; due_recall[place] = 0; awaits[place] = 1
}

#ifdef NO_RECALL
#define QUIET(place) true
#else
#ifdef NO_RETURN
#define QUIET(place) (!due_recall[place])
#else
#define QUIET(place) (out[place] == 0 && !awaits[place])
#endif
#endif

inline hand_over(place)
{
	if
#ifdef ATTACH_FIRST
	:: attached[place] -> first!place
#else
	:: attached[place] -> host_queue!ATTACH,place,place
#endif
	:: else
	fi;
	close_account(place)
}

inline move()
{
	is_moving = 0; is_home[HOST] = 0;
	hand_over(1); hand_over(2)
}

#define FORWARDS (!is_home[HOST] && len(host_queue) > 0 && ROOM(HOST, CORE))

inline forward()
{
	if
	:: host_queue?[ATTACH,from,n] -> host_queue?kind,from,n; FIFO(HOST, CORE)!ATTACH,n
	:: else -> host_queue?kind,from,n; FIFO(HOST, CORE)!SENT,n; credit[HOST]--
	fi;
	kind = 0; from = 0; n = 0
}

#ifdef HOST_OVERTAKES
#define FIRST_FORWARDS false
#else
#define FIRST_FORWARDS (len(host_queue) > 0)
#endif

proctype Host()
{
#ifdef ATTACH_FIRST
	chan first = [PLACES] of { byte };
#endif
	mtype kind;
	byte n, from;
	bit gave[PLACES], gave_reader;

end:	do
	:: d_step { nempty(FIFO(1, HOST)) -> host_takes(1) }
	:: d_step { nempty(FIFO(CORE, HOST)) -> host_takes(CORE) }
	:: d_step { !gave[1] && ROOM(HOST, 1) -> give_writer(1) }
#if WRITERS > 2
	:: d_step { !gave[2] && ROOM(HOST, 2) -> give_writer(2) }
#endif
	:: d_step { !gave_reader && ROOM(HOST, CORE) -> gave_reader = 1; give_reader() }
	:: d_step { due_recall[1] && ROOM(HOST, 1) -> recall(1) }
	:: d_step { due_recall[2] && ROOM(HOST, 2) -> recall(2) }
	:: d_step { is_moving && QUIET(1) && QUIET(2) -> move() }
#ifdef ATTACH_FIRST
	:: d_step { nempty(first) && ROOM(HOST, CORE) -> first?n; FIFO(HOST, CORE)!ATTACH,n; n = 0 }
#endif
	:: d_step { FORWARDS && (host_queue?[ATTACH,_,_] || credit[HOST] > 0) -> forward() }
	:: d_step { is_home[HOST] && !is_moving && nempty(host_queue) -> read(HOST, host_queue) }
	:: d_step { OWES(HOST, 0) -> pay_credit(HOST, 0) }
	:: d_step { OWES(HOST, 1) -> pay_credit(HOST, 1) }
	:: d_step { OWES(HOST, 2) -> pay_credit(HOST, 2) }
	:: d_step { MAY_ENQUEUE(HOST) ->
		n = LINE(HOST, written[HOST]); written[HOST]++; take_data(HOST, HOST, host_queue); n = 0 }
	:: d_step { MAY_SEND(HOST) && !is_moving && !FIRST_FORWARDS -> write_line(HOST) }
	od
}

/* It ends when all is read; else the others have stopped before: a deadlock. */
proctype Reader()
{
	got[HOST] == DATA && got[1] == DATA && (WRITERS < 3 || got[CORE] == DATA)
}

init {
	atomic {
		is_home[HOST] = 1; writes[HOST] = 1;
		attached[HOST] = 1; window[HOST] = 1; out[HOST] = 1;
		run Host();
		run Writer();
		run Core();
		run Reader()
	}
}
