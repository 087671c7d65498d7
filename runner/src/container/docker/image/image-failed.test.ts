import { describe, expect, it } from 'vitest';
import { DockerError } from '../daemon/docker-call.ts';
import { imageFailure } from './image-failed.ts';

const build = { source: 'build', image: 'own:1', baseImage: 'debian:bookworm-slim' } as const;
const pull = { source: 'pull', image: 'registry.test/own:1' } as const;

describe('an image that cannot be had', () => {
  it.each([
    ['write /var/lib/docker: no space left on device', build, 'Free about 3 GiB'],
    [
      'pull access denied for debian, repository does not exist',
      build,
      'The registry refuses debian:bookworm-slim',
    ],
    [
      'Get "https://registry-1.example/v2/": dial tcp: lookup registry-1.example: no such host',
      build,
      'out of reach of the daemon: check its network and proxy, or name another Debian image with --base-image',
    ],
    ['manifest for debian:bookworm-slim not found', build, 'There is no such image'],
    ['manifest for registry.test/own:1 not found', pull, 'check the name registry.test/own:1'],
    [
      'unauthorized: authentication required',
      pull,
      'docker login, docker pull registry.test/own:1',
    ],
    ["The command '/bin/sh -c apt-get' returned a non-zero code: 100", build, 'Debian packages'],
    ['codex@1: npm pack failed; check the network', build, 'reaches its npm registry'],
    ['something new', build, 'npm run sandbox:build shows every line'],
  ])('%s', (words, attempt, advice) => {
    const failure = imageFailure(new Error(words), attempt);
    expect(failure.message).toContain(words);
    expect(failure.message).toContain(advice);
    expect(failure.missingPart).toBe(false);
  });

  it('is a missing part where the daemon is', () => {
    const shut = 'docker: info: no permission for the daemon’s socket; add this user to its group';
    const failure = imageFailure(new DockerError(shut, null, undefined), build);
    expect(failure.missingPart).toBe(true);
    expect(failure.message).toContain('Add this user to the group');
  });
});
