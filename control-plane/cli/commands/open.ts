import { resolve } from 'node:path';
import { ServiceClient, type ServiceFlags } from '../client/service-client.ts';
import { openBrowser } from '../open-browser.ts';
import { defaultDataDir } from '../serve-flags.ts';
import { signInUrl } from '../../src/platform/node/sign-in-url.ts';
import type { RegisterCommand } from '../options/command-context.ts';
import { printAnswer } from '../output/print-answer.ts';
import { withServiceOptions } from '../options/service-options.ts';

type OpenFlags = ServiceFlags & { open: boolean };
type SignInCode = { code: string; expiresAt: string };

/**
 * `switchyard open`: opens the dashboard in a browser on this machine, signed in by a single-use
 * link.
 */
export const registerOpen: RegisterCommand = (program, context) => {
  withServiceOptions(
    program.command('open').description('sign a browser on this machine in to the dashboard'),
  )
    .option('--no-open', 'only print the address')
    .action(async (flags: OpenFlags) => {
      const { env } = context;
      // Uses only the local secret, so that the link signs in the local user and not a token's
      // holder.
      const client = new ServiceClient(flags, {
        ...env,
        SWITCHYARD_TOKEN: '',
        SERVICE_WRITE_TOKEN: '',
      });
      const { code, expiresAt } = await client.ask<SignInCode>('POST', '/session/codes');
      const url = signInUrl(client.url, code);
      if (flags.open)
        openBrowser(url, {
          env,
          dataDir: resolve(flags.dataDir ?? defaultDataDir(env)),
          say: context.err,
        });
      printAnswer(context, flags, { url, expiresAt }, () => `${url}\n`);
      context.err('it works once, on this machine, within 5 minutes\n');
    });
};
