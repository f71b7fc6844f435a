#include "emu/riscv/uart.h"

/* A 16550, as QEMU's virt machine has it: ready from reset. */
enum {
	TRANSMIT = 0,
	LINE_STATUS = 5,
	LINE_STATUS_EMPTY = 1 << 5,
};

static volatile uint8_t *const port = (volatile uint8_t *)0x10000000;

static void put(char c)
{
	while (!(port[LINE_STATUS] & LINE_STATUS_EMPTY))
		;
	port[TRANSMIT] = (uint8_t)c;
}

void uart_write(const char *bytes, uint64_t nbytes)
{
	for (uint64_t i = 0; i < nbytes; i++)
		put(bytes[i]);
}

void uart_text(const char *text)
{
	while (*text)
		put(*text++);
}

static void put_digits(uint64_t number, unsigned base)
{
	if (number >= base)
		put_digits(number / base, base);
	put("0123456789abcdef"[number % base]);
}

void uart_number(int64_t number)
{
	if (number < 0)
		put('-');
	put_digits(number < 0 ? 0 - (uint64_t)number : (uint64_t)number, 10);
}

void uart_hex(uint64_t number)
{
	uart_text("0x");
	put_digits(number, 16);
}
