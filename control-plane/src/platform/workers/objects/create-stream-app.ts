import { OpenAPIHono } from '@hono/zod-openapi';
import { namedTokens } from '../../../admin/tokens/named-tokens.ts';
import { authorize } from '../../../http/access/authorize.ts';
import type { HttpEnv } from '../../../http/bindings.ts';
import { describeFailure } from '../../../http/describe-failure.ts';
import { errorHandler, refuseInvalid } from '../../../http/error-handler.ts';
import { createOpenStreams, type OpenStreams } from '../../../http/limits/open-streams.ts';
import { redactAnswers } from '../../../http/answers/redact-answers.ts';
import { requestId } from '../../../http/request-id.ts';
import type { startWorkerCore } from '../start-worker-core.ts';
import { workerAccess } from '../worker-access.ts';

type Started = Pick<Awaited<ReturnType<typeof startWorkerCore>>, 'deps' | 'variables'>;

/**
 * The app for streams that an object serves. The Worker has authorized the caller; the object
 * checks again as long as a stream is open.
 */
export async function createStreamApp({
  deps,
  variables,
}: Started): Promise<{ app: OpenAPIHono<HttpEnv>; streams: OpenStreams }> {
  const app = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
  const { policy } = await workerAccess({ deps, variables });
  const tokens = namedTokens(policy.tokens, deps);
  app.use(redactAnswers(deps.redactor), requestId(), authorize({ ...policy, tokens }));
  app.onError(errorHandler(deps.logger, deps.errors));
  const complain = (error: unknown) =>
    deps.logger.error('a stream failed', { error: describeFailure(error) });
  const redact = (json: string) => deps.redactor.json(json);
  return { app, streams: createOpenStreams({ limits: policy.limits, complain, redact }) };
}
