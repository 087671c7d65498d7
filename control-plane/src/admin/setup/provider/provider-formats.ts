import type { ProviderFormat } from '@switchyard/shared/api/admin/setup';
import { WIRE_API_NAMES } from '@switchyard/shared/engine/describe-abilities';
import {
  HOSTED_PROVIDERS,
  providerAddress,
} from '@switchyard/shared/model-providers/hosted-providers';
import { WireApi } from '@switchyard/shared/model-providers/wire-api';
import type { RunnerRow } from '../../../db/schema/runners/runners.ts';
import { engineNames } from '../../../runners/available-engines/engines-of.ts';
import { recordedAt, type RecordedProviders } from '../../../config/provider/recorded-providers.ts';
import { enginesFor } from '../../../config/sections/routing/format-problem.ts';

type Standing = {
  present: { baseUrl: string; model: string; hasKey: boolean };
  known: RecordedProviders;
  /** Whether the configuration file or the environment gives a key for an address. */
  hasKeyBelow: (baseUrl: string) => boolean;
  runners: readonly Pick<RunnerRow, 'engines' | 'engine_version' | 'revoked_at_ms' | 'connected'>[];
};

/**
 * Every wire format with the engines that support it and its hosted provider, which can always be
 * chosen.
 */
export function providerFormats(standing: Standing): ProviderFormat[] {
  const { present, known, runners, hasKeyBelow } = standing;
  const here = runners
    .filter((runner) => runner.revoked_at_ms === null && runner.connected)
    .map((runner) => engineNames(runner));
  // Engines that runners have come first, then those that they can download.
  const rankOf = (name: string) => {
    const having = here.filter(({ engines }) => engines.includes(name));
    if (having.length === 0) return 0;
    return having.every(({ fetchable }) => fetchable.includes(name)) ? 1 : 2;
  };
  return WireApi.options.map((wireApi) => {
    const hosted = HOSTED_PROVIDERS[wireApi];
    const isHere = providerAddress(present.baseUrl) === hosted.baseUrl;
    const before = recordedAt(known, hosted.baseUrl);
    const engines = enginesFor(wireApi);
    return {
      wireApi,
      title: WIRE_API_NAMES[wireApi],
      engines: engines.toSorted((a, b) => rankOf(b) - rankOf(a)),
      hosted: {
        ...hosted,
        hasKey: isHere
          ? present.hasKey
          : (before?.secret ?? null) !== null || hasKeyBelow(hosted.baseUrl),
        model: isHere ? present.model : (before?.model ?? null),
      },
    };
  });
}
