import type { EngineSession } from '../../engine/agent-engine.ts';
import type { AttemptContext } from '../attempt-deps.ts';
import { servedTools } from '../tools/tool-service.ts';
import type { Watch } from '../watch/watch-egress.ts';

/**
 * Serves tools to an engine that needs a tool server, until the attempt's watches end. Resolves
 * with a wrapper for its session; an engine with native tools is left as it is.
 */
export async function serveTools(
  context: AttemptContext,
  watches: Watch[],
): Promise<(session: EngineSession) => EngineSession> {
  const { deps, spec, ref, liveness, result } = context;
  const engine = deps.engines.find(spec.engine.name);
  const offered = engine === null ? [] : servedTools(engine, spec.tools);
  if (offered.length === 0 || deps.tools === undefined) return (session) => session;
  const served = await deps.tools.serve({
    ref,
    offered,
    requestMs: spec.limits.requestMs,
    callTool: (call) => deps.uplink.callTool(ref, call),
    requestOpened: (requestId) => liveness.requestOpened(requestId),
    turnId: () => result.turnId,
  });
  watches.push(served);
  return (session) => served.wrap(session);
}
