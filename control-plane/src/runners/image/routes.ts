import { z } from '@hono/zod-openapi';
import { BaseImage, SandboxImage } from '@switchyard/shared/sandbox/sandbox-image';
import type { Deps } from '../../deps.ts';
import { endpoint, json } from '../../http/endpoint/endpoint.ts';
import { askForImage, provideImage } from './ask-for-image.ts';

const byRunner = z.object({ rid: z.string().max(64) });
const refusals = {
  409: 'The runner’s version builds no image, or its operator did not name that base image',
  502: 'The runner did not answer',
  503: 'The runner is not connected',
};

/** Routes of a runner's sandbox image. */
export function imageRoutes(deps: Pick<Deps, 'db' | 'clock' | 'connections'>) {
  return [
    endpoint({
      at: 'GET /api/v1/runners/{rid}/sandbox-image',
      summary: "How a runner's sandbox image stands",
      params: byRunner,
      answer: json(200, 'The image', SandboxImage),
      refusals,
      handler: ({ params: { rid } }) => askForImage(deps, rid),
    }),
    endpoint({
      at: 'POST /api/v1/runners/{rid}/sandbox-image',
      summary: 'Have a runner build or pull its sandbox image',
      description:
        'Answers at once, and builds nothing that is there. With `baseImage` an image that stands on another one is built anew. Running attempts stay as they are; those that begin once the image is there run in a container.',
      params: byRunner,
      body: z.strictObject({
        baseImage: BaseImage.optional().describe('Debian image to build on'),
      }),
      optionalBody: true,
      answer: json(202, 'The image, on its way unless it is there', SandboxImage),
      refusals,
      handler: ({ params: { rid: runnerId }, body, caller }) =>
        provideImage(deps, { runnerId, ...body, caller }),
    }),
  ] as const;
}
