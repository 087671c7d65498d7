import { createStackParser, createTransport, linkedErrorsIntegration, Scope } from '@sentry/core';
import { nodeStackLineParser, ServerRuntimeClient } from '@sentry/core/server';

/** The parts of the SDK that are used, by name, so that a bundle leaves out all the others. */
export const sdk = {
  createStackParser,
  createTransport,
  linkedErrorsIntegration,
  nodeStackLineParser,
  Scope,
  ServerRuntimeClient,
};
