import { describe, expect, it } from 'vitest';
import { DockerError, dockerCall, isConflict, isImageMissing, isMissing } from './docker-call.ts';

async function failure(error: Error): Promise<DockerError> {
  const request = async (): Promise<never> => {
    throw error;
  };
  try {
    await dockerCall('do it', request);
  } catch (thrown) {
    if (thrown instanceof DockerError) return thrown;
  }
  throw new Error('expected a DockerError');
}

const answer = (statusCode: number, message: string): Error =>
  Object.assign(new Error(`(HTTP code ${statusCode}) x - ${message} `), {
    statusCode,
    json: { message },
  });

describe('dockerCall', () => {
  it('says what to do when no daemon answers', async () => {
    const missing = await failure(Object.assign(new Error('connect'), { code: 'ENOENT' }));
    expect(missing.message).toContain('DOCKER_HOST');
    const denied = await failure(Object.assign(new Error('connect'), { code: 'EACCES' }));
    expect(denied.message).toContain('permission');
  });

  it('repeats the daemon’s own words and tells its answers apart', async () => {
    const image = await failure(answer(404, 'No such image: x'));
    expect(image.message).toBe('docker: do it: No such image: x');
    expect([isMissing(image), isImageMissing(image), isConflict(image)]).toEqual([
      true,
      true,
      false,
    ]);
    const container = await failure(answer(404, 'No such container: x'));
    expect([isMissing(container), isImageMissing(container)]).toEqual([true, false]);
    expect(isConflict(await failure(answer(409, 'name in use')))).toBe(true);
  });

  it('gives up after its time and ends the request', async () => {
    let aborted = false;
    const hung = dockerCall(
      'hang',
      (signal) =>
        new Promise<never>(() => {
          signal.addEventListener('abort', () => (aborted = true));
        }),
      20,
    );
    await expect(hung).rejects.toThrow('no answer within 20 ms');
    expect(aborted).toBe(true);
  });
});
