import { OpenAPIHono } from '@hono/zod-openapi';
import { alertRoutes } from './alerts/routes.ts';
import { liveTextRoutes } from './attempts/live-text-routes.ts';
import { attemptRoutes } from './attempts/routes.ts';
import { auditRoutes } from './audit/routes.ts';
import { automationRoutes } from './automations/routes.ts';
import { checkpointRoutes } from './checkpoints/routes.ts';
import { localCodeHostRoutes } from './codehosts/local/routes.ts';
import { ownLink } from './codehosts/own-link.ts';
import { configRoutes } from './config/routes.ts';
import { finishMergedIssue } from './delivery/finish-merged-issue.ts';
import { mergeThroughRunner } from './delivery/merge-in-repository.ts';
import type { Deps } from './deps.ts';
import { engineAccountRoutes } from './engine/account-routes.ts';
import { engineRequestRoutes } from './engine/request-routes.ts';
import { engineRoutes } from './engine/routes.ts';
import { engineThreadRoutes } from './engine/thread-routes.ts';
import { apiDocument } from './docs/api-document.ts';
import { documentInfo } from './docs/document-parts.ts';
import { docRoutes } from './docs/routes.ts';
import { eventRoutes } from './events/routes.ts';
import { gitRoutes } from './git/routes.ts';
import type { HttpEnv } from './http/bindings.ts';
import { callerOf } from './http/caller.ts';
import { tagReads } from './http/conditional.ts';
import { describeFailure } from './http/describe-failure.ts';
import { refuseInvalid } from './http/error-response.ts';
import { installMiddleware } from './http/install-middleware.ts';
import { createOpenStreams, type OpenStreams } from './http/open-streams.ts';
import { hearComment } from './issues/hear-comment.ts';
import { refuseStandbyWrites } from './leadership/refuse-standby-writes.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { modelRoutes } from './models/routes.ts';
import { pauseRoutes } from './pause/routes.ts';
import { setContainerGauges } from './metrics/container-gauges.ts';
import { countRequests } from './metrics/count-requests.ts';
import { metricRoutes } from './metrics/routes.ts';
import { observabilityRoutes } from './observability/routes.ts';
import { recoveryRoutes } from './recovery/routes.ts';
import { sessionRoutes } from './http/session-routes.ts';
import { secretRoutes } from './secrets/routes.ts';
import type { AccessParts } from './http/create-access.ts';
import { issueRecord } from './issues/issue-record.ts';
import { deliveryRoutes } from './delivery/routes.ts';
import { issueRoutes } from './issues/routes.ts';
import { transitionRoutes } from './issues/transition-routes.ts';
import { requestRoutes } from './requests/routes.ts';
import { runnerProtocolRoutes, runnerRoutes } from './runners/routes.ts';
import { searchRoutes } from './search/routes.ts';
import { serviceRoutes } from './service/routes.ts';
import { guidedSetupRoutes } from './setup/guided-routes.ts';
import { setupRoutes } from './setup/routes.ts';
import { trackerSetupRoutes } from './setup/tracker-routes.ts';
import { namedTokens } from './tokens/named-tokens.ts';
import { recordSignIn } from './tokens/record-sign-in.ts';
import { tokenRoutes } from './tokens/routes.ts';
import { templateRoutes } from './templates/routes.ts';
import type { LocalTrackerSettings } from './trackers/local/local-tracker-deps.ts';
import { localTrackerRoutes } from './trackers/local/routes.ts';
import { usageRoutes } from './usage/routes.ts';
import { workspaceRoutes } from './workspaces/routes.ts';
import { receiverRoutes } from './webhooks/receiver-routes.ts';
import { webhookRoutes } from './webhooks/routes.ts';
import { setWebhookGauges } from './webhooks/set-webhook-gauges.ts';
import { triggerRoutes } from './webhooks/trigger-routes.ts';

export type AppOptions = AccessParts & {
  localTracker: LocalTrackerSettings;
  /** Routes that only the platform can serve, for example the runner socket; put before all others. */
  platformRoutes?: (app: OpenAPIHono<HttpEnv>) => void;
  /** Those that are open in this process; left out: as the configuration says. */
  streams?: OpenStreams;
};

/** The whole HTTP side: neutral, served by Node or by a Worker. */
export function createApp(deps: Deps, options: AppOptions) {
  const app = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
  app.use(countRequests(deps));
  const tokens = namedTokens(options.policy.tokens, deps);
  installMiddleware(app, deps, { ...options.policy, tokens });
  app.use(tagReads());
  app.use(refuseStandbyWrites(() => deps.service.role === 'standby'));
  options.platformRoutes?.(app);
  const { limits, trustedHops = 0 } = options.policy;
  const complain = (error: unknown) =>
    deps.logger.error('an event stream failed', { error: describeFailure(error) });
  const streams = options.streams ?? createOpenStreams({ limits, trustedHops, complain });
  const host = { ...deps, publicOrigin: () => deps.service.publicOrigin };
  const routed = app
    .openapiRoutes(serviceRoutes(deps))
    .openapiRoutes(observabilityRoutes(deps))
    .openapiRoutes(usageRoutes(deps))
    .openapiRoutes(searchRoutes(deps))
    .openapiRoutes(metricRoutes(deps, [setContainerGauges, setWebhookGauges]))
    .openapiRoutes(
      sessionRoutes({
        ...options,
        tokens,
        local: options.policy.local,
        recordSignIn: (caller) => recordSignIn(deps, caller),
      }),
    )
    .openapiRoutes(tokenRoutes(deps))
    .openapiRoutes(receiverRoutes(deps, { trustedHops }))
    .openapiRoutes(triggerRoutes(deps))
    .openapiRoutes(webhookRoutes(deps))
    .openapiRoutes(pauseRoutes(deps))
    .openapiRoutes(recoveryRoutes(deps))
    .openapiRoutes(eventRoutes({ ...deps, streams }))
    .openapiRoutes(runnerRoutes(deps))
    .openapiRoutes(runnerProtocolRoutes(deps))
    .openapiRoutes(requestRoutes(deps))
    .openapiRoutes(engineRoutes(deps))
    .openapiRoutes(engineThreadRoutes(deps))
    .openapiRoutes(engineAccountRoutes(deps))
    .openapiRoutes(engineRequestRoutes(deps))
    .openapiRoutes(modelRoutes(deps))
    .openapiRoutes(notificationRoutes(deps))
    .openapiRoutes(automationRoutes(deps))
    .openapiRoutes(alertRoutes(deps))
    .openapiRoutes(configRoutes(deps))
    .openapiRoutes(secretRoutes(deps))
    .openapiRoutes(setupRoutes(deps))
    .openapiRoutes(guidedSetupRoutes({ ...deps, settings: options.localTracker }))
    .openapiRoutes(trackerSetupRoutes(deps))
    .openapiRoutes(auditRoutes(deps))
    .openapiRoutes(templateRoutes(deps))
    .openapiRoutes(transitionRoutes(deps))
    .openapiRoutes(workspaceRoutes(deps))
    .openapiRoutes(gitRoutes(deps))
    .openapiRoutes(attemptRoutes(deps))
    .openapiRoutes(liveTextRoutes({ ...deps, streams }))
    .openapiRoutes(checkpointRoutes(deps))
    .openapiRoutes(
      localTrackerRoutes({
        ...deps,
        settings: options.localTracker,
        callerOf,
        toRecord: (row) => issueRecord(row, deps.service.publicOrigin),
        ownLink: (link) => ownLink(deps.service.publicOrigin, link),
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
  const info = documentInfo(deps.service.version);
  const documented = routed.openapiRoutes(
    docRoutes((version) =>
      apiDocument(
        version === '3.0'
          ? routed.getOpenAPIDocument({ openapi: '3.0.3', info })
          : routed.getOpenAPI31Document({ openapi: '3.1.0', info }),
      ),
    ),
  );
  // Last, because `/api/v1/{id}` would take other names for an issue's.
  return documented.openapiRoutes(deliveryRoutes(deps)).openapiRoutes(issueRoutes(deps));
}
