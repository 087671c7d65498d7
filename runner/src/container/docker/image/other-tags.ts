import type Docker from 'dockerode';
import { dockerCall } from '../daemon/docker-call.ts';

const MAX_SHOWN = 3;

/**
 * Other tags of an image's repository on the daemon, which belong to other versions. Only for
 * messages: without an answer of the daemon there are none.
 */
export async function otherTags(docker: Docker, image: string): Promise<string[]> {
  const repository = image.replace(/:[^:/]*$/, '');
  const found = await dockerCall('list images', () =>
    docker.listImages({ filters: { reference: [repository] } }),
  ).catch(() => []);
  const tags = found.flatMap(({ RepoTags }) => RepoTags ?? []);
  return tags
    .filter((tag) => tag.startsWith(`${repository}:`) && tag !== image)
    .slice(0, MAX_SHOWN);
}
