import type { EngineTestFailureKind } from '@switchyard/shared/engine/engine-test-failure';

/** Advice for people on a failed test turn of an engine, by the kind of failure. */
export function testAdvice(kind: EngineTestFailureKind, engine: string): string {
  switch (kind) {
    case 'engine_missing':
      return `Install it: \`switchyard runner build-image --engine ${engine}\` where agents run in containers, \`switchyard engine install ${engine}\` where they run as processes. Then restart the runner.`;
    case 'busy':
      return 'Wait until that has ended, then try again.';
    case 'not_started':
      return "Check that the engine is installed and that the runner's sandbox image has it (`switchyard doctor`), then try again.";
    case 'agent_error':
      return "Read the message; check the model's name and the format of the provider in the settings (engine.choices, engine.accounts).";
    case 'auth_failed':
      return 'Enter a valid key for the account of the provider, then try again.';
    case 'usage_limited':
      return 'Wait for the reset of the quota, raise it at the provider, or choose another account.';
    case 'provider_unreachable':
      return "Check the provider's address in the settings, and that the runner's machine reaches it.";
    case 'timed_out':
      return 'Try again with more time (timeoutMs), or look at the load of the runner and at the provider.';
    case 'too_many_tokens':
      return 'The engine did more than it was asked. Check the model, and whether its name is right.';
  }
}
