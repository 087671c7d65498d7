import { createStackParser, createTransport, linkedErrorsIntegration, Scope } from '@sentry/core';
import { nodeStackLineParser, ServerRuntimeClient } from '@sentry/core/server';

/** The used parts of the SDK by name, so that a bundle leaves out the rest. */
export const sdk = {
  createStackParser,
  createTransport,
  linkedErrorsIntegration,
  nodeStackLineParser,
  Scope,
  ServerRuntimeClient,
};
