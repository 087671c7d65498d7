import Docker from 'dockerode';

const TIMEOUT_MS = 20_000;

/** What a test wants to know of a container. */
export type FoundContainer = {
  id: string;
  state: string;
  /** `NAME=value` words and the command line. */
  environment: string[];
  argv: string[];
  /** Paths on the host that it sees. */
  mounts: string[];
  host: Pick<
    Docker.HostConfig,
    'NetworkMode' | 'CapDrop' | 'SecurityOpt' | 'ReadonlyRootfs' | 'Memory' | 'PidsLimit'
  >;
  user: string;
};

/** All containers of an attempt, or of every attempt of a runner; also those that have ended. */
export async function ownContainers(
  of: { attemptId: string } | { runnerId: string },
): Promise<FoundContainer[]> {
  const docker = new Docker({ timeout: TIMEOUT_MS });
  const label =
    'attemptId' in of
      ? `switchyard.attempt=${of.attemptId}`
      : `switchyard.runner_id=${of.runnerId}`;
  const listed = await docker.listContainers({ all: true, filters: { label: [label] } });
  const found = await Promise.all(listed.map(({ Id }) => inspect(docker, Id)));
  return found.filter((container) => container !== null);
}

async function inspect(docker: Docker, id: string): Promise<FoundContainer | null> {
  try {
    const { Config, State, HostConfig, Mounts, Path, Args } = await docker
      .getContainer(id)
      .inspect();
    return {
      id,
      state: State.Status,
      environment: Config.Env,
      argv: [Path, ...Args],
      mounts: Mounts.map(({ Source }) => Source),
      host: HostConfig,
      user: Config.User,
    };
  } catch (error) {
    // Removed between the list and the look.
    if (error instanceof Error && 'statusCode' in error && error.statusCode === 404) return null;
    throw error;
  }
}
