import { z } from 'zod';

export const HealthStatus = z.enum(['ok', 'degraded', 'down']);
export type HealthStatus = z.infer<typeof HealthStatus>;

/** One part of the service or of what it depends on. */
export const HealthSignal = z
  .object({
    name: z.string(),
    status: HealthStatus,
    /** Since when, where it is known. */
    since: z.iso.datetime().nullable(),
    message: z.string(),
  })
  .meta({ id: 'HealthSignal' });
export type HealthSignal = z.infer<typeof HealthSignal>;

/** A metric of `/metrics` without its buckets. */
export const MetricSummary = z
  .object({
    name: z.string(),
    type: z.enum(['counter', 'gauge', 'histogram']),
    series: z.array(
      z.object({
        labels: z.record(z.string(), z.string()),
        /** Of a histogram: the number of observations. */
        value: z.number(),
        /** Of a histogram: the mean, in the metric's own unit. */
        mean: z.number().optional(),
      }),
    ),
  })
  .meta({ id: 'MetricSummary' });
export type MetricSummary = z.infer<typeof MetricSummary>;

/** `GET /api/v1/observability`: snake_case envelope, camelCase records. */
export const Observability = z
  .object({
    generated_at: z.iso.datetime(),
    /** The worst of all signals. */
    status: HealthStatus,
    signals: z.array(HealthSignal),
    metrics: z.array(MetricSummary),
  })
  .meta({ id: 'Observability' });
export type Observability = z.infer<typeof Observability>;
