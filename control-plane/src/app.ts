import { askReview } from './pull-requests/reviews/ask-review.ts';
import { reviewRoutes } from './pull-requests/reviews/routes.ts';
import { viewReviews } from './pull-requests/reviews/view-reviews.ts';
import { OpenAPIHono } from '@hono/zod-openapi';
import { alertRoutes } from './people/alerts/routes.ts';
import { liveTextRoutes } from './attempts/live-text-routes.ts';
import { attemptRoutes } from './attempts/routes.ts';
import { auditRoutes } from './observe/audit/routes.ts';
import { automationRoutes } from './people/automations/routes.ts';
import {
  localPullRequestEndRoutes,
  localPullRequestRoutes,
} from './integrations/local/code-host/routes.ts';
import { ownLink } from './ports/code-host/own-link.ts';
import { configRoutes } from './config/routes.ts';
import { finishMergedIssue } from './pull-requests/delivery/finish-merged-issue.ts';
import { enterQueue } from './pull-requests/merge-queue/enter-queue.ts';
import { leaveQueue } from './pull-requests/merge-queue/leave-queue.ts';
import { viewEntry, viewQueue } from './pull-requests/merge-queue/view-queue.ts';
import { mergeQueueRoutes } from './pull-requests/merge-queue/routes.ts';
import { mergeThroughRunner } from './pull-requests/delivery/merge-through-runner.ts';
import type { Deps } from './deps.ts';
import { connectAccount } from './runners/operations/connect-account.ts';
import { engineAccountRoutes } from './runners/operations/account-routes.ts';
import { engineListRoutes } from './runners/available-engines/routes.ts';
import { engineRequestRoutes } from './runners/operations/request-routes.ts';
import { engineRoutes } from './runners/operations/routes.ts';
import { engineTestRoutes } from './runners/engine-test/routes.ts';
import { engineThreadRoutes } from './runners/operations/thread-routes.ts';
import { apiDocument, documentInfo } from './http/docs/api-document.ts';
import { docRoutes } from './http/docs/routes.ts';
import { eventRoutes } from './observe/events/routes.ts';
import { gitRoutes } from './runners/git/routes.ts';
import { imageRoutes } from './runners/image/routes.ts';
import type { HttpEnv } from './http/bindings.ts';
import { tagReads } from './http/is-unchanged.ts';
import { redactAnswers } from './http/answers/redact-answers.ts';
import { describeFailure } from './http/describe-failure.ts';
import { refuseInvalid } from './http/error-handler.ts';
import { installMiddleware } from './http/install-middleware.ts';
import { createOpenStreams, type OpenStreams } from './http/limits/open-streams.ts';
import { handleComment } from './issues/actions/handle-comment.ts';
import { notificationRoutes } from './notifications/routes.ts';
import { channelRoutes } from './people/channels/routes.ts';
import { sendToChannel } from './people/channels/send-to-channel.ts';
import { pauseRoutes } from './issues/pause/routes.ts';
import { setContainerGauges } from './observe/metrics/set-container-gauges.ts';
import { countRequests } from './observe/metrics/count-requests.ts';
import { metricRoutes } from './observe/metrics/routes.ts';
import { readHealthFacts } from './admin/observability/read-health-facts.ts';
import { observabilityRoutes } from './admin/observability/routes.ts';
import { searchRoutes } from './admin/search/routes.ts';
import { usageRoutes } from './usage/routes.ts';
import { sessionRoutes } from './http/access/session-routes.ts';
import { secretRoutes } from './config/secrets/routes.ts';
import type { AccessParts } from './http/create-access.ts';
import { issueRecord } from './issues/issue-record.ts';
import { connectDelivery } from './pull-requests/delivery/connect-delivery.ts';
import { deliveryRoutes } from './pull-requests/delivery/routes.ts';
import { issueListRoutes } from './issues/list/routes.ts';
import { issueMoveRoutes } from './issues/actions/move-routes.ts';
import { issueOverrideRoutes } from './issues/actions/override-routes.ts';
import { issueActionRoutes } from './issues/actions/routes.ts';
import { subIssueRoutes } from './issues/sub-issues/routes.ts';
import { issueSteerRoutes } from './issues/actions/steer-routes.ts';
import { issueRoutes } from './issues/routes.ts';
import { transitionRoutes } from './issues/transition-routes.ts';
import { requestRoutes } from './issues/requests/routes.ts';
import { revokeRunner } from './runners/admin/revoke-runner.ts';
import { reclaimAttempt } from './runners/leases/reclaim-attempt.ts';
import { createFrameHandler } from './runners/protocol/create-frame-handler.ts';
import { syncRunner } from './runners/protocol/sync-runner.ts';
import { blobRoutes, runnerProtocolRoutes } from './runners/protocol-routes.ts';
import { runnerAdminRoutes, runnerRoutes } from './runners/routes.ts';
import { probeRoutes, serviceRoutes } from './admin/service/routes.ts';
import { connectSetup } from './admin/setup/connect-setup.ts';
import { createTestIssue } from './admin/setup/create-test-issue.ts';
import {
  guidedSetupRoutes,
  setupConnectRoutes,
  testIssueRoutes,
} from './admin/setup/guided-routes.ts';
import { setupRoutes } from './admin/setup/routes.ts';
import { trackerSetupRoutes } from './admin/setup/tracker/tracker-routes.ts';
import { namedTokens, recordSignIn } from './admin/tokens/named-tokens.ts';
import { tokenRoutes } from './admin/tokens/routes.ts';
import { templateRoutes } from './attempts/templates/routes.ts';
import { localTrackerSettings } from './integrations/local/local-tracker-settings.ts';
import {
  localAttachmentRoutes,
  localCommentRoutes,
} from './integrations/local/tracker/comments/routes.ts';
import { localIssueRoutes } from './integrations/local/tracker/routes.ts';
import { workspaceRoutes } from './runners/workspaces/routes.ts';
import { recordRefusedDeliveries } from './inbox/receive/record-refused-deliveries.ts';
import { announceDelivery } from './inbox/receive/announce-delivery.ts';
import { createReadDelivery } from './inbox/receive/create-read-delivery.ts';
import { receiverRoutes } from './inbox/receive/receiver-routes.ts';
import { storeDeliveries } from './inbox/receive/store-delivery.ts';
import { webhookRoutes } from './inbox/routes.ts';
import { setWebhookGauges } from './inbox/set-webhook-gauges.ts';
import { acceptTrigger, requireTriggerKey } from './inbox/triggers/accept-trigger.ts';
import { triggerRoutes } from './inbox/triggers/trigger-routes.ts';
import { refuseStandbyWrites } from './jobs/leadership/refuse-standby-writes.ts';

export type AppOptions = AccessParts & {
  /**
   * Routes that only the platform can serve, such as the runner socket; registered before all
   * others.
   */
  platformRoutes?: (app: OpenAPIHono<HttpEnv>) => void;
  /**
   * Registry of this process's open event streams; left out: a new one with the configured limits.
   */
  streams?: OpenStreams;
};

/** The complete HTTP side, neutral to the runtime; Node or a Worker serves it. */
export function createApp(deps: Deps, options: AppOptions) {
  const app = new OpenAPIHono<HttpEnv>({ defaultHook: refuseInvalid });
  app.use(countRequests(deps), recordRefusedDeliveries(deps), redactAnswers(deps.redactor));
  const tokens = namedTokens(options.policy.tokens, deps);
  installMiddleware(app, deps, { ...options.policy, tokens });
  app.use(tagReads());
  app.use(refuseStandbyWrites(() => deps.service.role === 'standby'));
  options.platformRoutes?.(app);
  const { limits, trustedHops = 0 } = options.policy;
  const complain = (error: unknown) =>
    deps.logger.error('an event stream failed', { error: describeFailure(error) });
  const redact = (json: string) => deps.redactor.json(json);
  const streams = options.streams ?? createOpenStreams({ limits, trustedHops, complain, redact });
  const localTracker = localTrackerSettings(deps.config, deps.service);
  const host = { ...deps, publicOrigin: () => deps.service.publicOrigin };
  const routed = app
    .openapiRoutes(serviceRoutes(deps))
    .openapiRoutes(probeRoutes(deps))
    .openapiRoutes(
      observabilityRoutes({ ...deps, readHealthFacts: readHealthFacts.bind(undefined, deps) }),
    )
    .openapiRoutes(usageRoutes(deps))
    .openapiRoutes(searchRoutes(deps, { trustedHops }))
    .openapiRoutes(
      metricRoutes(deps.metrics, [() => setContainerGauges(deps), () => setWebhookGauges(deps)]),
    )
    .openapiRoutes(
      sessionRoutes({
        ...options,
        tokens,
        local: options.policy.local,
        recordSignIn: (caller) => recordSignIn(deps, caller),
      }),
    )
    .openapiRoutes(tokenRoutes(deps))
    .openapiRoutes(
      receiverRoutes({
        metrics: deps.metrics,
        readDelivery: createReadDelivery(deps, { trustedHops }),
        storeDeliveries: storeDeliveries.bind(undefined, deps),
        announceDelivery: announceDelivery.bind(undefined, deps),
      }),
    )
    .openapiRoutes(
      triggerRoutes({
        metrics: deps.metrics,
        requireTriggerKey: requireTriggerKey.bind(undefined, deps),
        acceptTrigger: acceptTrigger.bind(undefined, deps),
      }),
    )
    .openapiRoutes(webhookRoutes(deps))
    .openapiRoutes(pauseRoutes(deps))
    .openapiRoutes(eventRoutes({ ...deps, streams }))
    .openapiRoutes(runnerRoutes(deps))
    .openapiRoutes(
      runnerAdminRoutes({
        ...deps,
        revokeRunner: revokeRunner.bind(undefined, {
          ...deps,
          reclaimAttempt: reclaimAttempt.bind(undefined, deps),
        }),
      }),
    )
    .openapiRoutes(
      runnerProtocolRoutes({
        ...deps,
        syncRunner: syncRunner.bind(undefined, { ...deps, handleFrame: createFrameHandler(deps) }),
      }),
    )
    .openapiRoutes(blobRoutes(deps))
    .openapiRoutes(requestRoutes(deps))
    .openapiRoutes(engineRoutes(deps))
    .openapiRoutes(engineListRoutes(deps))
    .openapiRoutes(engineTestRoutes(deps))
    .openapiRoutes(engineThreadRoutes(deps))
    .openapiRoutes(engineAccountRoutes(connectAccount(deps)))
    .openapiRoutes(engineRequestRoutes(deps))
    .openapiRoutes(
      channelRoutes({
        ...deps,
        sendToChannel: sendToChannel.bind(undefined, deps),
      }),
    )
    .openapiRoutes(notificationRoutes(deps))
    .openapiRoutes(automationRoutes(deps))
    .openapiRoutes(alertRoutes(deps))
    .openapiRoutes(configRoutes(deps))
    .openapiRoutes(secretRoutes(deps))
    .openapiRoutes(setupRoutes(deps))
    .openapiRoutes(guidedSetupRoutes(connectSetup(deps, localTracker)))
    .openapiRoutes(setupConnectRoutes(deps))
    .openapiRoutes(
      testIssueRoutes(async (input) => {
        const issue = await createTestIssue({ ...deps, settings: localTracker }, input);
        return issueRecord(issue, deps.service.publicOrigin);
      }),
    )
    .openapiRoutes(trackerSetupRoutes(deps))
    .openapiRoutes(auditRoutes(deps))
    .openapiRoutes(templateRoutes(deps))
    .openapiRoutes(transitionRoutes(deps))
    .openapiRoutes(imageRoutes(deps))
    .openapiRoutes(workspaceRoutes(deps))
    .openapiRoutes(gitRoutes(deps))
    .openapiRoutes(attemptRoutes(deps))
    .openapiRoutes(liveTextRoutes({ ...deps, streams }))
    .openapiRoutes(
      localIssueRoutes({
        ...deps,
        settings: localTracker,
        toRecord: (row) => issueRecord(row, deps.service.publicOrigin),
      }),
    )
    .openapiRoutes(
      localCommentRoutes({
        ...deps,
        onHumanComment: (issue, comment) =>
          handleComment(deps, {
            tracker: issue.tracker,
            issueId: issue.id,
            commentId: comment.id,
            author: comment.author,
            body: comment.body,
          }),
      }),
    )
    .openapiRoutes(
      localAttachmentRoutes({
        ...deps,
        ownLink: (link) => ownLink(deps.service.publicOrigin, link),
      }),
    )
    .openapiRoutes(
      mergeQueueRoutes({
        viewQueue: viewQueue.bind(undefined, deps),
        viewEntry: viewEntry.bind(undefined, deps),
        enterQueue: enterQueue.bind(undefined, deps),
        leaveQueue: leaveQueue.bind(undefined, deps),
      }),
    )
    .openapiRoutes(
      reviewRoutes({
        viewReviews: viewReviews.bind(undefined, deps),
        askReview: askReview.bind(undefined, deps),
      }),
    )
    .openapiRoutes(localPullRequestRoutes(host))
    .openapiRoutes(
      localPullRequestEndRoutes({
        ...host,
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
  // Last, because `/api/v1/{id}` would match other names as an issue.
  return documented
    .openapiRoutes(deliveryRoutes(connectDelivery(deps)))
    .openapiRoutes(issueOverrideRoutes(deps))
    .openapiRoutes(issueSteerRoutes(deps))
    .openapiRoutes(issueMoveRoutes(deps))
    .openapiRoutes(issueListRoutes(deps))
    .openapiRoutes(issueRoutes(deps))
    .openapiRoutes(issueActionRoutes(deps))
    .openapiRoutes(subIssueRoutes(deps));
}
