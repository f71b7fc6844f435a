/* uart.h - text to the first serial port. One hart at a time. */
#ifndef NEARSIDE_EMU_RISCV_UART_H
#define NEARSIDE_EMU_RISCV_UART_H

#include <stdint.h>

void uart_write(const char *bytes, uint64_t nbytes);
void uart_text(const char *text);
void uart_number(int64_t number);
void uart_hex(uint64_t number);

#endif
