import type { CounterLabels, GaugeLabels, HistogramLabels } from '../../ports/ports.ts';

type Names<Labels> = {
  [Name in keyof Labels]: {
    help: string;
    labels: readonly (keyof Labels[Name] & string)[];
  };
};

/** All counters in display order. */
export const COUNTERS: Names<CounterLabels> = {
  service_http_requests_total: {
    help: 'HTTP requests answered.',
    labels: ['method', 'status'],
  },
  service_orchestrator_polls_total: {
    help: 'Looks at the tracker by how they ended.',
    labels: ['status'],
  },
  service_agent_runs_total: {
    help: 'Attempts that ended, those cancelled or on trial left out.',
    labels: ['outcome'],
  },
  service_webhook_deliveries_total: {
    help: 'Webhook deliveries received.',
    labels: ['provider', 'status'],
  },
  service_webhook_duplicates_total: {
    help: 'Webhook deliveries that had been received before.',
    labels: ['provider'],
  },
  service_webhook_events_processed_total: {
    help: 'Webhook deliveries processed.',
    labels: ['provider', 'outcome'],
  },
  service_webhook_processor_retries_total: {
    help: 'Webhook deliveries that are processed once more.',
    labels: ['provider', 'reason'],
  },
  service_webhook_dlq_total: {
    help: 'Webhook deliveries given up.',
    labels: ['reason'],
  },
  service_webhook_subscription_checks_total: {
    help: 'Checks of the webhook subscription.',
    labels: ['provider', 'status'],
  },
};

/** Histograms in seconds: requests take microseconds to seconds, deliveries up to minutes. */
export const HISTOGRAMS: {
  [Name in keyof HistogramLabels]: Names<HistogramLabels>[Name] & { buckets: readonly number[] };
} = {
  service_http_request_duration_seconds: {
    help: 'Time until the answer to an HTTP request was ready.',
    labels: ['method'],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  },
  service_webhook_processing_latency_seconds: {
    help: 'Time from receiving a webhook delivery until it was processed.',
    labels: ['provider'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  },
};

export const GAUGES: Names<GaugeLabels> = {
  service_container_cpu_percent: {
    help: 'Processor use of a running container, 100 for one core.',
    labels: ['container'],
  },
  service_container_memory_percent: {
    help: 'Memory use of a running container, of its limit.',
    labels: ['container'],
  },
  service_webhook_backlog_count: {
    help: 'Webhook deliveries that wait to be processed.',
    labels: ['provider'],
  },
  service_webhook_dlq_count: {
    help: 'Webhook deliveries among the dead letters.',
    labels: [],
  },
  service_webhook_last_delivery_age_seconds: {
    help: 'Time since the last webhook delivery.',
    labels: ['provider'],
  },
};
