import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAX_QUESTION_MS } from '@switchyard/shared/protocol/limits';
import { expect, it } from 'vitest';
import { ToolCallStore } from './tool-call-store.ts';

it('a question is known to a later process for as long as people may answer it', () => {
  const folder = mkdtempSync(join(tmpdir(), 'swy-calls-'));
  const ref = { attemptId: 'att_00000001', epoch: 1 };
  const path = join(folder, 'tools.db');
  const askedAtMs = 1_700_000_000_000;
  const former = new ToolCallStore(path, askedAtMs);
  former.begin(ref, 'key', 'ask_person', askedAtMs);
  former.asked(ref, 'key');
  former.close();
  const later = new ToolCallStore(path, askedAtMs + MAX_QUESTION_MS);
  expect(later.find(ref, 'key')).toMatchObject({ asked: true, begunAtMs: askedAtMs });
  later.close();
  rmSync(folder, { recursive: true });
});
