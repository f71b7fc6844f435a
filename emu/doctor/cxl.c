/* cxl.c - from card to memory that a program can map, and which step is missing. */
#include <string.h>

#include "emu/doctor/doctor.h"

static void each_memory(struct doctor *doctor, const char *name)
{
	char nbytes[32], node[16];

	doctor_line(doctor, nbytes, sizeof nbytes, "/sys/bus/cxl/devices/%s/ram/size", name);
	doctor_line(doctor, node, sizeof node, "/sys/bus/cxl/devices/%s/numa_node", name);
	doctor_add(doctor, DOCTOR_GOOD, "",
		"memory device %s: %s bytes of volatile memory, node %s", name, nbytes, node);
}

static void each_decoder(struct doctor *doctor, const char *name)
{
	char start[32], nbytes[32];

	doctor_line(doctor, start, sizeof start, "/sys/bus/cxl/devices/%s/start", name);
	doctor_line(doctor, nbytes, sizeof nbytes, "/sys/bus/cxl/devices/%s/size", name);
	doctor_add(doctor, DOCTOR_GOOD, "", "%s: window at %s, %s bytes", name, start, nbytes);
}

static void each_region(struct doctor *doctor, const char *name)
{
	char nbytes[32], committed[8];

	doctor_line(doctor, nbytes, sizeof nbytes, "/sys/bus/cxl/devices/%s/size", name);
	doctor_line(doctor, committed, sizeof committed, "/sys/bus/cxl/devices/%s/commit", name);
	if (!strcmp(committed, "1"))
		doctor_add(doctor, DOCTOR_GOOD, "", "%s: %s bytes, committed", name, nbytes);
	else
		doctor_add(doctor, DOCTOR_MISSING, "sudo cxl enable-region all",
			"%s: %s bytes, not committed: nothing can map it", name, nbytes);
}

/* Loaded or built in. */
static void look_for_driver(struct doctor *doctor)
{
	if (!doctor_exists(doctor, "/sys/bus/cxl/drivers/cxl_mem"))
		doctor_add(doctor, DOCTOR_NOTE,
			"sudo modprobe -a cxl_acpi cxl_pci cxl_mem cxl_port",
			"the driver cxl_mem is not loaded");
}

void doctor_cxl(struct doctor *doctor)
{
	static const char folder[] = "/sys/bus/cxl/devices";
	unsigned memories, regions;

	if (!doctor_exists(doctor, "/sys/bus/cxl")) {
		doctor_add(doctor, DOCTOR_NOTE,
			"sudo modprobe -a cxl_acpi cxl_pci cxl_mem cxl_port",
			"no CXL: the kernel's modules are not loaded, or this machine has none");
		return;
	}
	look_for_driver(doctor);
	memories = doctor_each(doctor, folder, "mem", each_memory);
	doctor_each(doctor, folder, "decoder0.", each_decoder);
	regions = doctor_each(doctor, folder, "region", each_region);
	if (!memories)
		doctor_add(doctor, DOCTOR_NOTE, "lspci -d ::0502; dmesg | grep -i cxl",
			"no CXL memory device is shown");
	else if (!regions)
		doctor_add(doctor, DOCTOR_MISSING,
			"sudo cxl create-region -t ram -d decoder0.0 -m mem0",
			"no region: the memory of %u devices is mapped by nothing", memories);
	else if (!doctor_exists(doctor, "/sys/bus/dax/devices/dax0.0"))
		doctor_add(doctor, DOCTOR_MISSING,
			"sudo modprobe -a dax_cxl device_dax; dmesg | grep -i dax",
			"%u regions, but no DAX device on one", regions);
}
