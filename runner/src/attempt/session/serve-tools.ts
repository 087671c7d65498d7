import type { AttemptContext } from '../attempt-deps.ts';
import type { Companion } from '../companions/companion.ts';
import { type ServedTools, servedTools } from '../tools/tool-service.ts';

/**
 * Serves tools to an engine that needs a tool server, while it runs; an engine with native tools is
 * left as it is.
 */
export function serveTools({ deps, spec, ref, liveness, result }: AttemptContext): Companion {
  let served: ServedTools | null = null;
  return {
    name: 'the tool server',
    async containerRuns() {
      const engine = deps.engines.find(spec.engine.name);
      const offered = engine === null ? [] : servedTools(engine, spec.tools);
      if (offered.length === 0 || deps.tools === undefined) return;
      served = await deps.tools.serve({
        ref,
        offered,
        requestMs: spec.limits.requestMs,
        callTool: (call) => deps.uplink.callTool(ref, call),
        requestOpened: (requestId) => liveness.requestOpened(requestId),
        turnId: () => result.turnId,
      });
    },
    sessionOpened: (session) => served?.wrap(session) ?? session,
    async engineEnded() {
      await served?.end();
      served = null;
    },
  };
}
