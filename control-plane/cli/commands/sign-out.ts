import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import type { RegisterCommand } from '../options/command-context.ts';
import { printAnswer } from '../output/print-answer.ts';
import { withServiceOptions } from '../options/service-options.ts';

/** `switchyard sign-out`: ends every session of every browser. */
export const registerSignOut: RegisterCommand = (program, context) => {
  withServiceOptions(
    program.command('sign-out').description('sign every browser out of the dashboard'),
  ).action(async (flags: ServiceFlags) => {
    await new ServiceClient(flags, context.env).ask('DELETE', '/sessions');
    printAnswer(context, flags, { signedOut: true }, () => 'every browser is signed out\n');
  });
};
