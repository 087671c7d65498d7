import type { methods } from '@agentclientprotocol/sdk';

type Methods = typeof methods;

/** What we ask agents; the official SDK's types keep the names right. */
export const AGENT_METHODS: {
  initialize: Methods['agent']['initialize'];
  session: Pick<
    Methods['agent']['session'],
    'new' | 'load' | 'resume' | 'prompt' | 'cancel' | 'setConfigOption'
  >;
} = {
  initialize: 'initialize',
  session: {
    new: 'session/new',
    load: 'session/load',
    resume: 'session/resume',
    prompt: 'session/prompt',
    cancel: 'session/cancel',
    setConfigOption: 'session/set_config_option',
  },
};

/** What agents tell and ask us. Neither files nor terminals of ours are offered to any. */
export const CLIENT_METHODS: {
  update: Methods['client']['session']['update'];
  requestPermission: Methods['client']['session']['requestPermission'];
  elicit: Methods['client']['elicitation']['create'];
} = {
  update: 'session/update',
  requestPermission: 'session/request_permission',
  elicit: 'elicitation/create',
};
