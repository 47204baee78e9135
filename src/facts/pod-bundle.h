/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names from the files that a runtime keeps of one container: the OCI bundle's annotations
 * (config.json, https://github.com/opencontainers/runtime-spec/blob/main/config.md#annotations),
 * Docker's config.v2.json, the names of containers/storage.
 */
#pragma once

#include "facts/pods.h"

/*
 * Fills what is not known yet of a pod with id and pid; whether it got a name. The runtime's usual
 * directories are looked into first, then the one that the container's parent process works in (a
 * containerd shim) or was given (conmon's --bundle), so that a runtime with a directory of its own,
 * or inside a container, is found too.
 */
bool zh_pod_bundle_fill(struct zh_pod *pod);
