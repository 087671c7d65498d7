import { OpenAPIHono } from '@hono/zod-openapi';
import { attemptRoutes } from './attempts/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { checkpointRoutes } from './checkpoints/routes.ts';
import { localCodeHostRoutes } from './codehosts/local/routes.ts';
import { configRoutes } from './config/routes.ts';
import { finishMergedIssue } from './delivery/finish-merged-issue.ts';
import { mergeThroughRunner } from './delivery/merge-in-repository.ts';
import type { Deps } from './deps.ts';
import { eventRoutes } from './events/routes.ts';
import type { HttpEnv } from './http/bindings.ts';
import { callerOf } from './http/caller.ts';
import { refuseInvalid } from './http/error-response.ts';
import { type HttpPolicy, installMiddleware } from './http/install-middleware.ts';
import { hearComment } from './issues/hear-comment.ts';
import { refuseStandbyWrites } from './leadership/refuse-standby-writes.ts';
import { pauseRoutes } from './pause/routes.ts';
import { recoveryRoutes } from './recovery/routes.ts';
import { sessionRoutes } from './http/session-routes.ts';
import type { Sessions } from './http/sessions.ts';
import { issueRecord } from './issues/issue-record.ts';
import { issueRoutes } from './issues/routes.ts';
import { requestRoutes } from './requests/routes.ts';
import { runnerProtocolRoutes, runnerRoutes } from './runners/routes.ts';
import { serviceRoutes } from './service/routes.ts';
import { setupRoutes } from './setup/routes.ts';
import type { LocalTrackerSettings } from './trackers/local/local-tracker-deps.ts';
import { localTrackerRoutes } from './trackers/local/routes.ts';

export type AppOptions = {
  policy: HttpPolicy;
  sessions: Sessions;
  localTracker: LocalTrackerSettings;
  /** Routes that only the platform can serve, for example the runner socket; put before all others. */
  platformRoutes?: (app: OpenAPIHono<HttpEnv>) => void;
};

/** The whole HTTP side: neutral, served by Node or by a Worker. */
export function createApp(deps: Deps, options: AppOptions) {
  const app = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
  installMiddleware(app, deps, options.policy);
  app.use(refuseStandbyWrites(() => deps.service.role === 'standby'));
  options.platformRoutes?.(app);
  const host = { ...deps, publicOrigin: () => deps.service.publicOrigin };
  const routed = app
    .openapiRoutes(serviceRoutes(deps))
    .openapiRoutes(sessionRoutes({ tokens: options.policy.tokens, sessions: options.sessions }))
    .openapiRoutes(pauseRoutes(deps))
    .openapiRoutes(recoveryRoutes(deps))
    .openapiRoutes(eventRoutes(deps))
    .openapiRoutes(runnerRoutes(deps))
    .openapiRoutes(runnerProtocolRoutes(deps))
    .openapiRoutes(requestRoutes(deps))
    .openapiRoutes(configRoutes(deps))
    .openapiRoutes(setupRoutes(deps))
    .openapiRoutes(auditRoutes(deps))
    .openapiRoutes(attemptRoutes(deps))
    .openapiRoutes(checkpointRoutes(deps))
    .openapiRoutes(
      localTrackerRoutes({
        ...deps,
        settings: options.localTracker,
        callerOf,
        toRecord: issueRecord,
        onHumanComment: (issue, comment) =>
          hearComment(deps, {
            tracker: issue.tracker,
            issueId: issue.id,
            commentId: comment.id,
            author: comment.author,
            body: comment.body,
          }),
      }),
    )
    .openapiRoutes(
      localCodeHostRoutes({
        ...host,
        callerOf,
        merge: mergeThroughRunner(deps),
        onMerged: (pullRequest) => finishMergedIssue(deps, pullRequest),
      }),
    );
  // The document is served before `/api/v1/{id}`, which would take its name for an issue's.
  routed.doc31('/api/v1/openapi.json', {
    openapi: '3.1.0',
    info: {
      title: 'Switchyard',
      version: deps.service.version,
      description: 'From an issue to a reviewed pull request, on machines you own.',
      license: { name: 'Apache-2.0' },
    },
  });
  return routed.openapiRoutes(issueRoutes(deps));
}
