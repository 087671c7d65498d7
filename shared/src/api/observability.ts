import { z } from 'zod';
import { namedObject } from '../named-object.ts';

export const HealthStatus = z.enum(['ok', 'degraded', 'down']);
export type HealthStatus = z.infer<typeof HealthStatus>;

/** Health of one part of the service or of one dependency. */
export const HealthSignal = namedObject('HealthSignal', {
  name: z.string(),
  status: HealthStatus,
  /** When the status began; null where that is unknown. */
  since: z.iso.datetime().nullable(),
  message: z.string(),
});
export type HealthSignal = z.infer<typeof HealthSignal>;

/** A metric of `/metrics` without its buckets. */
export const MetricSummary = namedObject('MetricSummary', {
  name: z.string(),
  type: z.enum(['counter', 'gauge', 'histogram']),
  series: z.array(
    z.object({
      labels: z.record(z.string(), z.string()),
      /** The value; for a histogram the number of observations. */
      value: z.number(),
      /** Only for a histogram: the mean, in the metric's own unit. */
      mean: z.number().optional(),
    }),
  ),
});
export type MetricSummary = z.infer<typeof MetricSummary>;

/** `GET /api/v1/observability`: snake_case envelope, camelCase records. */
export const Observability = namedObject('Observability', {
  generated_at: z.iso.datetime(),
  /** The worst status among all signals. */
  status: HealthStatus,
  signals: z.array(HealthSignal),
  metrics: z.array(MetricSummary),
});
export type Observability = z.infer<typeof Observability>;
