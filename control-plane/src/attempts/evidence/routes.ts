import { z } from '@hono/zod-openapi';
import { ArtifactType } from '@switchyard/shared/evidence/artifact';
import { AttemptEvidence } from '@switchyard/shared/api/attempt-evidence';
import type { Deps } from '../../deps.ts';
import { endpoint, json, raw } from '../../http/endpoint/endpoint.ts';
import { streamOf } from '../../http/answers/stream-of.ts';
import { requireAttempt } from '../queries.ts';
import { artifactHeaders } from './artifact-headers.ts';
import { attemptEvidence } from './attempt-evidence.ts';
import { openArtifact } from './open-artifact.ts';

const AttemptId = z.string().max(64);

/**
 * Routes that serve an attempt's evidence (what the agent changed, asked and used) and its
 * artifacts.
 */
export function evidenceRoutes(deps: Pick<Deps, 'db' | 'blobs'>) {
  return [
    endpoint({
      at: 'GET /api/v1/attempts/{aid}/evidence',
      summary: 'What the work of an attempt was made from, beside its declared checks',
      params: z.object({ aid: AttemptId }),
      answer: json(200, 'The evidence', AttemptEvidence),
      handler: async ({ params: { aid } }) =>
        attemptEvidence(deps.db, await requireAttempt(deps.db, aid)),
    }),
    endpoint({
      at: 'GET /api/v1/attempts/{aid}/artifacts/{sha256}',
      summary: 'A file that the agent of an attempt left for people',
      description:
        'Images and text are to be shown, everything else is to be saved. Known secrets are taken out of text.',
      params: z.object({ aid: AttemptId, sha256: z.string().regex(/^[0-9a-f]{64}$/) }),
      query: z.object({
        download: z.enum(['0', '1']).default('0').describe('1: to be saved, whatever it is'),
      }),
      answer: raw(ArtifactType.options, 'Its bytes'),
      handler: async ({ c, params: { aid, sha256 }, query }) => {
        const { file, pieces } = await openArtifact(deps, { attemptId: aid, sha256 });
        const headers = artifactHeaders(file, { isDownload: query.download === '1' });
        return c.body(streamOf(pieces), 200, headers);
      },
    }),
  ] as const;
}
