/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Whether this is a virtual machine, whose, and whether it is a container. On x86 the processor
 * says so itself (CPUID leaf 1, ECX bit 31, and the name at leaf 0x40000000); elsewhere and in
 * captured trees /proc/cpuinfo, DMI, the device tree and the clock sources have to do.
 */
#include <stdio.h>
#include <string.h>
#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#endif

#include "base/util.h"
#include "facts/facts.h"
#include "facts/read.h"
#include "sys/root.h"

static const struct {
	const char *text, *type;
} known[] = {
	{"KVMKVMKVM", "kvm"},
	{"VMwareVMware", "vmware"},
	{"XenVMMXenVMM", "xen"},
	{"Microsoft Hv", "microsoft"},
	{"TCGTCGTCG", "qemu"},
	{"bhyve bhyve", "bhyve"},
	{"VBoxVBoxVBox", "virtualbox"},
	/* Makers, as DMI names them. */
	{"Amazon EC2", "kvm"},
	{"Google", "kvm"},
	{"KVM", "kvm"},
	{"QEMU", "qemu"},
	{"VMware", "vmware"},
	{"Xen", "xen"},
	{"Microsoft Corporation", "microsoft"},
	{"innotek GmbH", "virtualbox"},
	{"Parallels", "parallels"},
};

static const char *type_of(const char *text)
{
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(known); i++)
		if (strstr(text, known[i].text))
			return known[i].type;
	return NULL;
}

/* The hypervisor's name as CPUID gives it; false on bare metal or another architecture. */
static bool cpuid_name(char *ret, size_t size)
{
#if defined(__x86_64__) || defined(__i386__)
	unsigned int a, b, c, d;
	unsigned int words[3];

	if (!__get_cpuid(1, &a, &b, &c, &d) || !(c >> 31))
		return false;
	__cpuid(0x40000000, a, words[0], words[1], words[2]);
	snprintf(ret, size, "%.12s", (const char *)words);
	return true;
#else
	(void)ret;
	(void)size;
	return false;
#endif
}

static bool cpuinfo_says_guest(void)
{
	zh_autofree char *text = NULL;
	char *cursor, *line, *word;

	if (zh_sys_slurp(&text, "/proc/cpuinfo") < 0)
		return false;
	for (cursor = text; (line = zh_facts_line(&cursor));) {
		if (strncmp(line, "flags", 5))
			continue;
		while ((word = zh_facts_word(&line, " ")))
			if (!strcmp(word, "hypervisor"))
				return true;
		return false;
	}
	return false;
}

static void add_dmi(struct zh_fact_set *set, const char **ret_type)
{
	char vendor[128] = "", product[128] = "";

	if (zh_sys_read(vendor, sizeof(vendor), "/sys/class/dmi/id/sys_vendor") >= 0)
		zh_fact_string(set, vendor, "virt.vendor");
	if (zh_sys_read(product, sizeof(product), "/sys/class/dmi/id/product_name") >= 0)
		zh_fact_string(set, product, "virt.product");
	*ret_type = type_of(product);
	if (!*ret_type)
		*ret_type = type_of(vendor);
}

static void add_type(struct zh_fact_set *set)
{
	char name[16], text[256];
	const char *type, *dmi_type;
	bool guest;

	add_dmi(set, &dmi_type);
	if (!zh_sys_is_captured() && cpuid_name(name, sizeof(name))) {
		type = type_of(name);
		zh_fact_number(set, 1, "virt.guest");
		zh_fact_string(set, type ? type : "other", "virt.type");
		return;
	}
	guest = cpuinfo_says_guest();
	type = NULL;
	if (zh_sys_read(text, sizeof(text),
		    "/sys/devices/system/clocksource/clocksource0/available_clocksource") > 0) {
		if (strstr(text, "kvm-clock"))
			type = "kvm";
		else if (strstr(text, "hyperv"))
			type = "microsoft";
	}
	if (zh_sys_read(text, sizeof(text), "/sys/hypervisor/type") > 0)
		type = strstr(text, "xen") ? "xen" : type;
	if (zh_sys_exists("/proc/device-tree/hypervisor"))
		type = type ? type : "other";
	guest = guest || type;
	if (!guest && !zh_sys_exists("/proc/cpuinfo")) {
		zh_fact_unavailable(set, "no /proc/cpuinfo", "virt.guest");
		return;
	}
	zh_fact_number(set, guest, "virt.guest");
	if (!guest)
		type = "none";
	else if (!type)
		type = dmi_type ? dmi_type : "other";
	zh_fact_string(set, type, "virt.type");
}

static void add_container(struct zh_fact_set *set)
{
	static const struct {
		const char *file, *name;
	} files[] = {
		{"/var/run/secrets/kubernetes.io", "kubernetes"},
		{"/.dockerenv", "docker"},
		{"/run/.containerenv", "podman"},
	};
	char text[64];
	size_t i;

	for (i = 0; i < ZH_ARRAY_SIZE(files); i++) {
		if (zh_sys_exists("%s", files[i].file)) {
			zh_fact_string(set, files[i].name, "virt.container");
			return;
		}
	}
	if (zh_sys_read(text, sizeof(text), "/run/systemd/container") > 0)
		zh_fact_string(set, text, "virt.container");
	else if (zh_sys_is_captured())
		zh_fact_unavailable(set, "captured root", "virt.container");
	else
		zh_fact_string(set, "none", "virt.container");
}

/* The eighth number behind "cpu" is time stolen; some hypervisors never report it. */
static void add_steal(struct zh_fact_set *set)
{
	zh_autofree char *text = NULL;
	unsigned long long steal;

	if (zh_sys_slurp(&text, "/proc/stat") < 0 ||
		sscanf(text, "cpu %*u %*u %*u %*u %*u %*u %*u %llu", &steal) != 1)
		return;
	zh_fact_string(set, steal ? "reported" : "never moved", "virt.steal_clock");
}

static void collect(struct zh_fact_set *set)
{
	add_type(set);
	add_container(set);
	add_steal(set);
	zh_fact_number(set, zh_sys_exists("/dev/kvm"), "virt.kvm_host");
}

static const struct zh_fact_schema schema[] = {
	{"virt.guest", ZH_FACT_NUMBER, "", "1: this is a virtual machine"},
	{"virt.type", ZH_FACT_STRING, "", "hypervisor: none, kvm, vmware, xen, microsoft, ..."},
	{"virt.vendor", ZH_FACT_STRING, "", "maker, as DMI names it"},
	{"virt.product", ZH_FACT_STRING, "", "product, as DMI names it"},
	{"virt.container", ZH_FACT_STRING, "", "container runtime, or none"},
	{"virt.steal_clock", ZH_FACT_STRING, "", "whether steal time was ever reported"},
	{"virt.kvm_host", ZH_FACT_NUMBER, "", "1: virtual machines can run here (/dev/kvm)"},
	{NULL},
};

const struct zh_fact_group zh_fact_group_virt = {
	.id = "virt",
	.summary = "virtual machine or container, and whose",
	.schema = schema,
	.collect = collect,
};
