/*
 * hand.pml - reading ends go from core to core by way of the host, as in channels/hand.c, lend.c and borrow.c.
 *
 * Core 1 is the pipe's home and has its reading ends. At any time a core gives its end away, if the home has told it
 * that it knows of it: it sends ATTACH for the host to the home, or counts it there itself; WANT to the host; and CLOSE
 * to the home behind that. The host counts the end and passes it on: SPAWN to the next core, ATTACH for that to the home,
 * CLOSE for itself behind it; or drops it: CLOSE alone. A core that has an end closes it at any time. HANDS bounds how
 * often ends are given. Lines of different FIFOs overtake each other.
 *
 * Claims: the home finds no reader left only when nobody has an end, nor is one under way, and then it does; it hears
 * READ and CLOSE only from places of which it knows; no ATTACH comes behind that; all ends closed, every balance is 0.
 *
 * bound: 3 cores, 2 ends, given 4 times, FIFOs of 3 lines; then 3 ends, given 3 times
 * runs: ENDS=3,HANDS=3
 * variants:
 *   READS_AT_ONCE    who has an end asks before the home has told of itself
 *   CLOSES_AT_ONCE   it closes before that
 *   CLOSE_FIRST      who hands back closes its own end before the host's is attached
 *   HOST_CLOSES_FIRST  the host drops its end before the next is attached
 *   POSITIVE_ONLY    a balance below 0 counts as none at all, and so does the sum of all
 */
#ifndef ENDS
#define ENDS 2
#endif
#ifndef HANDS
#define HANDS 4
#endif

#define HOST 0
#define HOME 1
#define PLACES 4 /* the host, the home, two other cores */

mtype = { SPAWN, WANT, ATTACH, ATTACHED, READ, CLOSE };

chan fifo[PLACES * PLACES] = [3] of { mtype, byte };
#define FIFO(from, to) fifo[(from) * PLACES + (to)]
#define ROOM(from, to, lines) (len(FIFO(from, to)) + (lines) <= 3)

/* At the home: its own readers, and ends of the others. */
byte here = ENDS;
short balance[PLACES];
bit is_broken;

/* Of the others. */
byte readers[PLACES];
byte known[PLACES];
bit asked[PLACES];

byte open = ENDS; /* ends that somebody has, or that are under way */
byte hands;

#ifdef POSITIVE_ONLY
#define COUNTED(place) (balance[place] > 0)
#define IS_READ (here > 0 || balance[0] + balance[1] + balance[2] + balance[3] > 0 && balance[HOST] >= 0)
#else
#define IS_READ (here > 0 || balance[0] != 0 || balance[2] != 0 || balance[3] != 0)
#endif

inline look_whether_read()
{
	if
	:: !IS_READ -> assert(open == 0); is_broken = 1
	:: else
	fi
}

inline home_takes(from)
{
	FIFO(from, HOME)?kind,place;
	if
	:: kind == SPAWN -> here++
	:: kind == ATTACH ->
		assert(!is_broken && (from == HOST || balance[from] > 0));
		balance[place]++;
		due[place] = due[place] + (place != HOST)
	:: kind == READ -> assert(balance[from] > 0)
	:: kind == CLOSE ->
		assert(place == HOST || balance[place] > 0);
		balance[place]--;
		look_whether_read()
	:: else -> assert(false)
	fi;
	kind = 0; place = 0
}

proctype Home()
{
	mtype kind;
	byte place;
	byte due[PLACES];

end:	do
	:: d_step { nempty(FIFO(0, HOME)) -> home_takes(0) }
	:: d_step { nempty(FIFO(2, HOME)) -> home_takes(2) }
	:: d_step { nempty(FIFO(3, HOME)) -> home_takes(3) }
	:: d_step { due[2] && ROOM(HOME, 2, 1) -> FIFO(HOME, 2)!ATTACHED,0; due[2]-- }
	:: d_step { due[3] && ROOM(HOME, 3, 1) -> FIFO(HOME, 3)!ATTACHED,0; due[3]-- }
	/* Its own end is handed back, or closed. */
	:: d_step { here && hands < HANDS && ROOM(HOME, HOST, 1) ->
		hands++; balance[HOST]++; FIFO(HOME, HOST)!WANT,0; here--; look_whether_read() }
	:: d_step { here -> here--; open--; look_whether_read() }
	od
}

inline hand_back(self)
{
	hands++; readers[self]--; known[self]--; asked[self] = 0;
#ifdef CLOSE_FIRST
	FIFO(self, HOME)!CLOSE,self; FIFO(self, HOME)!ATTACH,HOST;
#else
	FIFO(self, HOME)!ATTACH,HOST; FIFO(self, HOME)!CLOSE,self;
#endif
	FIFO(self, HOST)!WANT,0
}

proctype Core(byte self)
{
	mtype kind;
	byte n;

end:	do
	:: d_step { nempty(FIFO(HOST, self)) -> FIFO(HOST, self)?kind,n; assert(kind == SPAWN); readers[self]++; kind = 0; n = 0 }
	:: d_step { nempty(FIFO(HOME, self)) -> FIFO(HOME, self)?kind,n; assert(kind == ATTACHED); known[self]++; kind = 0; n = 0 }
#ifdef READS_AT_ONCE
	:: d_step { readers[self] && !asked[self] && ROOM(self, HOME, 1) ->
#else
	:: d_step { readers[self] && known[self] && !asked[self] && ROOM(self, HOME, 1) ->
#endif
		FIFO(self, HOME)!READ,0; asked[self] = 1 }
#ifdef CLOSES_AT_ONCE
	:: d_step { readers[self] && ROOM(self, HOME, 1) ->
		known[self] = (known[self] -> known[self] - 1 : 0);
#else
	:: d_step { readers[self] && known[self] && ROOM(self, HOME, 1) ->
		known[self]--;
#endif
		readers[self]--; asked[self] = 0; open--; FIFO(self, HOME)!CLOSE,self }
	:: d_step { readers[self] && known[self] && hands < HANDS && ROOM(self, HOME, 2) && ROOM(self, HOST, 1) -> hand_back(self) }
	od
}

inline pass_on(to)
{
	ends--;
	FIFO(HOST, to)!SPAWN,0;
#ifdef HOST_CLOSES_FIRST
	FIFO(HOST, HOME)!CLOSE,HOST;
	if
	:: to != HOME -> FIFO(HOST, HOME)!ATTACH,to
	:: else
	fi
#else
	if
	:: to != HOME -> FIFO(HOST, HOME)!ATTACH,to
	:: else
	fi;
	FIFO(HOST, HOME)!CLOSE,HOST
#endif
}

proctype Host()
{
	mtype kind;
	byte n, ends;

end:	do
	:: d_step { nempty(FIFO(1, HOST)) -> FIFO(1, HOST)?kind,n; ends++; kind = 0; n = 0 }
	:: d_step { nempty(FIFO(2, HOST)) -> FIFO(2, HOST)?kind,n; ends++; kind = 0; n = 0 }
	:: d_step { nempty(FIFO(3, HOST)) -> FIFO(3, HOST)?kind,n; ends++; kind = 0; n = 0 }
	:: d_step { ends && ROOM(HOST, HOME, 3) -> pass_on(HOME) }
	:: d_step { ends && ROOM(HOST, 2, 1) && ROOM(HOST, HOME, 2) -> pass_on(2) }
	:: d_step { ends && ROOM(HOST, 3, 1) && ROOM(HOST, HOME, 2) -> pass_on(3) }
	:: d_step { ends && ROOM(HOST, HOME, 1) -> ends--; open--; FIFO(HOST, HOME)!CLOSE,HOST }
	od
}

/* The last end is closed sometime, since each step ends or hands one; then the home knows. */
proctype Closed()
{
	is_broken && balance[0] == 0 && balance[2] == 0 && balance[3] == 0
}

init {
	atomic {
		run Host();
		run Home();
		run Core(2);
		run Core(3);
		run Closed()
	}
}
