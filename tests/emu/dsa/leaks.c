/*
 * leaks.c - libaccel-config keeps the names of what it found, and never frees them. Read by the
 * leak checker, where there is one.
 */
const char *__lsan_default_suppressions(void);

const char *__lsan_default_suppressions(void)
{
	return "leak:libaccel-config\nleak:scandir\n";
}
