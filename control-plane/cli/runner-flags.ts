import type { ServeFlags } from './serve-flags.ts';

/** What a runner beside a control plane is told, from what the control plane's command was told. */
export function runnerFlags(flags: Omit<ServeFlags, 'host' | 'port'>): string[] {
  return [
    '--stop-attempts-on-exit',
    '--sandbox',
    flags.sandbox,
    ...(flags.image === undefined ? [] : ['--image', flags.image]),
    ...(flags.baseImage === undefined ? [] : ['--base-image', flags.baseImage]),
    ...(flags.buildImage === true ? ['--build-image'] : []),
    ...(flags.engine === undefined ? [] : ['--engine', flags.engine]),
    ...(flags.acceptLicence === true ? ['--accept-licence'] : []),
    ...(flags.slots === undefined ? [] : ['--slots', flags.slots]),
    ...(flags.labels === undefined ? [] : ['--labels', flags.labels]),
    ...(flags.allowImage ?? []).flatMap((image) => ['--allow-image', image]),
    ...(flags.allowPrivateHost ?? []).flatMap((host) => ['--allow-private-host', host]),
  ];
}
