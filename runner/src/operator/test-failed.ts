import type { EngineTestFailureKind } from '@switchyard/shared/engine/engine-test-failure';

/** Why a test turn failed, thrown from inside it. */
export class TestFailed extends Error {
  readonly kind: EngineTestFailureKind;
  readonly resetAtMs: number | undefined;
  constructor(kind: EngineTestFailureKind, message: string, resetAtMs?: number) {
    super(message);
    this.name = 'TestFailed';
    this.kind = kind;
    this.resetAtMs = resetAtMs;
  }
}
