import { join } from 'node:path';
import { sql } from 'drizzle-orm';
import { leaseTimes } from '@switchyard/shared/protocol/lease-times';
import type { Ids } from '../../../control-plane/src/ports/ports.ts';
import { newIdentity } from '../../../control-plane/src/admin/service/new-identity.ts';
import { serviceAudience } from '../../../control-plane/src/admin/service/service-audience.ts';
import { openDatabase } from '../../../control-plane/src/platform/node/database/open-database.ts';
import { createJoinToken } from '../../../control-plane/src/runners/admin/create-join-token.ts';
import { joinRunner } from '../../../control-plane/src/runners/admin/join-runner.ts';
import { createRunnerIdentity } from '../core/runner-identity.ts';
import { secrets } from '../../../control-plane/src/db/schema/admin/secrets.ts';
import { CHAIN } from './chain.ts';
import { START_WALL_MS } from './sim-host.ts';
import { PERSON } from './simulated-config.ts';
import type { Template } from './world-options.ts';

const MIGRATIONS = join(import.meta.dirname, '../../../migrations');
const RUNNERS = 3;

/** A migrated database with runners that have joined, made once and copied for every seed. */
export async function createTemplate(folder: string): Promise<Template> {
  const path = join(folder, 'template.db');
  const { db, close } = await openDatabase(path, MIGRATIONS);
  const clock = { nowMs: () => START_WALL_MS - 1_000, monotonicMs: () => 0 };
  const audience = await serviceAudience(db, START_WALL_MS);
  const service = newIdentity(clock, {
    version: '0.0.0-simulated',
    instanceId: 'template',
    role: 'active',
    dataDir: null,
    audience,
    publicOrigin: null,
    leaseTimes: leaseTimes(),
  });
  const deps = { db, clock, service, ids: countedIds() };
  const runnerIds: string[] = [];
  for (let index = 0; index < RUNNERS; index += 1) {
    const { token } = await createJoinToken(deps, {
      labels: [],
      expiresInMs: 60_000,
      caller: PERSON,
    });
    const identity = await createRunnerIdentity(`runner-${index + 1}`);
    const joined = await joinRunner(deps, {
      token,
      request: identity.joinRequest([]),
      caller: { requestId: 'req-join', path: '/join' },
    });
    runnerIds.push(joined.runnerId);
  }
  // Only their names are ever asked for.
  for (const { key } of CHAIN) await db.insert(secrets).values(secretRow(key));
  // The file is copied alone.
  await db.run(sql`PRAGMA wal_checkpoint(TRUNCATE)`);
  close();
  return { path, runnerIds, audience };
}

function secretRow(key: string): typeof secrets.$inferInsert {
  const bytes = new Uint8Array(16);
  return {
    key,
    master_key_id: 'simulated',
    nonce: bytes,
    ciphertext: bytes,
    version: 1,
    created_at_ms: START_WALL_MS,
    updated_at_ms: START_WALL_MS,
  };
}

function countedIds(): Ids {
  let count = 0;
  const next = () => (count += 1).toString().padStart(12, '0');
  return { next: (kind) => `${kind}_${next()}`, secret: () => `secret${next()}` };
}
