/*
 * attach.pml - how hosts get a region and lose it, as in device/attach.c and host/attach.c: HOSTS
 * hosts that come LIVES times, leave or die where they like, and one device that may think any of
 * them dead at any time.
 *
 * Claims: no two hosts have a region of one generation; who is given it wants it, or has died; who
 * has it loses it only when it has left, or was suspect; and nobody waits for ever.
 *
 * bound: two hosts, two lives each, five generations, every death and every doubt
 *
 * variants:
 *   ANY_GENERATION  the device takes a claim whatever generation it is about
 *   ANY_OWNER       a host believes that an owner is itself
 *   ANY_LEAVER      the device takes any number in `left` for its owner's
 */
#ifndef HOSTS
#define HOSTS 2
#endif
#ifndef LIVES
#define LIVES 2
#endif
#define GENERATIONS 5

/* Another number in each life. */
#define CLAIM(host, life, generation) (((host) * LIVES + (life) + 1) * 16 + (generation))
#define HOST(claim) (((claim) / 16 - 1) / LIVES)
#define GENERATION(claim) ((claim) % 16)

byte ready, owner, claim, left;
bool doubts, is_over;
byte wanted[HOSTS];  /* the claim that a host waits with */
byte held[HOSTS];    /* the claim that it has the region by */
bool is_dead[HOSTS];

inline check_alone(me, mine)
{
	byte other;

	other = 0;
	do
	:: other == HOSTS -> break
	:: else ->
		assert(other == me || !held[other] || GENERATION(held[other]) != GENERATION(mine));
		other++
	od
}

proctype host(byte me)
{
	byte mine, lives;

	lives = LIVES;
	do
	:: lives == 0 -> break
	:: else ->
		lives--;
again:
		atomic { ready || is_over -> mine = CLAIM(me, lives, ready) };
		if
		:: is_over -> goto done
		:: else
		fi;
look:
		if
		:: atomic { owner == 0 || doubts -> wanted[me] = mine }; claim = mine
		:: owner != 0 && !doubts && left != owner -> goto busy
		:: owner != 0 && left == owner /* it is being taken back */
		fi;
		/* Until there is an answer. */
		if
#ifdef ANY_OWNER
		:: owner != 0 -> skip
#else
		:: owner == mine -> skip
#endif
		:: ready != GENERATION(mine) -> wanted[me] = 0; goto again
		:: wanted[me] && owner != 0 && owner != mine && !doubts && left != owner ->
			wanted[me] = 0;
			goto busy
		:: !wanted[me] && (owner == 0 || left != owner) -> goto look
		fi;
		d_step {
			held[me] = mine;
			wanted[me] = 0;
			check_alone(me, mine)
		}
		if
		:: is_dead[me] = true; goto done
		:: atomic { owner == mine -> held[me] = 0 }; left = mine
		:: atomic { owner != mine -> held[me] = 0 } /* it was taken for dead */
		fi;
busy:		skip
	od;
done:	wanted[me] = 0
}

#define CHECK_WANTED assert(wanted[HOST(owner)] == owner || is_dead[HOST(owner)])

proctype device()
{
	byte generation;

	generation = 1;
	ready = 1;
end:	do
#ifdef ANY_GENERATION
	:: atomic { owner == 0 && claim != 0 && claim != left -> owner = claim; CHECK_WANTED }
#else
	:: atomic { owner == 0 && GENERATION(claim) == ready && claim != 0 -> owner = claim; CHECK_WANTED }
#endif
	:: owner != 0 && !doubts -> doubts = true
	:: doubts -> doubts = false
#ifdef ANY_LEAVER
	:: owner != 0 && left != 0 ->
#else
	:: owner != 0 && left == owner ->
#endif
		assert(held[HOST(owner)] != owner || is_dead[HOST(owner)]);
		goto reset
	:: owner != 0 && doubts && GENERATION(claim) == ready && claim != owner ->
reset:		ready = 0;
		owner = 0;
		doubts = false;
		if
		:: generation == GENERATIONS -> is_over = true; break
		:: else -> generation++; ready = generation
		fi
	od
}

init
{
	byte next;

	atomic {
		run device();
		next = 0;
		do
		:: next == HOSTS -> break
		:: else -> run host(next); next++
		od
	}
}
