import type { ContainerOwner, Mount } from '../container-engine.ts';

/** Environment entry by which all processes of an attempt are found. */
export function attemptMarker(owner: ContainerOwner): string {
  return `SWITCHYARD_ATTEMPT=${owner.attemptId}-${owner.epoch}-${owner.runnerId}`;
}

/**
 * A clean environment: search path, language, the specification's entries and the markers; nothing
 * else of the runner's own.
 */
export function attemptEnvironment(
  env: Readonly<Record<string, string>>,
  markers: readonly string[],
): Record<string, string> {
  const marked = markers.map((marker) => {
    const at = marker.indexOf('=');
    return [marker.slice(0, at), marker.slice(at + 1)];
  });
  return {
    PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
    LANG: process.env['LANG'] ?? 'C.UTF-8',
    ...env,
    ...Object.fromEntries(marked),
  };
}

/** Throws unless every path is the host's own, because nothing is mounted here. */
export function requireHostPaths(mounts: readonly Mount[]): void {
  const moved = mounts.find((mount) => mount.hostPath !== mount.containerPath);
  if (moved) {
    throw new Error(
      `the process engine cannot show ${moved.hostPath} as ${moved.containerPath}: give host paths`,
    );
  }
}
