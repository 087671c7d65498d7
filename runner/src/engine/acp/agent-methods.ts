import type { methods } from '@agentclientprotocol/sdk';

type Methods = typeof methods;

/** Methods that this client calls; the official SDK's types check the names. */
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

/** Methods that agents call. No files or terminals of this client are offered to them. */
export const CLIENT_METHODS: {
  update: Methods['client']['session']['update'];
  requestPermission: Methods['client']['session']['requestPermission'];
  elicit: Methods['client']['elicitation']['create'];
} = {
  update: 'session/update',
  requestPermission: 'session/request_permission',
  elicit: 'elicitation/create',
};
