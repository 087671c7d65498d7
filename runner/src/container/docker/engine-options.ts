import type Docker from 'dockerode';
import type { EngineContainerSpec } from '../container-engine.ts';
import { containerLabels } from './container-labels.ts';
import type { ProxyReach } from './hardened-host-config.ts';
import {
  SHIM_PATH,
  accessMount,
  durableLog,
  environmentList,
  hardenedHostConfig,
  shimArguments,
} from './hardened-host-config.ts';

/** The options with which the daemon creates an engine's container. */
export function engineOptions(
  name: string,
  spec: EngineContainerSpec,
  settings: { user: string; reach: ProxyReach; runtime: string | null },
): Docker.ContainerCreateOptions {
  const { user, reach, runtime } = settings;
  return {
    name,
    Image: spec.image,
    Entrypoint: [SHIM_PATH],
    Cmd: [...shimArguments(spec.proxy, reach), ...spec.argv],
    Env: environmentList(spec.env),
    WorkingDir: spec.workingDirectory,
    User: user,
    Hostname: 'switchyard',
    Labels: containerLabels(spec.owner, 'engine'),
    // Input stays open when the runner ends, so that the next runner can write to it.
    OpenStdin: true,
    StdinOnce: false,
    AttachStdin: false,
    Tty: false,
    HostConfig: {
      ...hardenedHostConfig({
        mounts: [...spec.mounts, accessMount(spec.proxy)],
        resources: spec.resources,
        network: reach === 'socket' ? 'none' : 'bridge',
        runtime: spec.runtime ?? runtime,
      }),
      LogConfig: durableLog,
    },
  };
}
