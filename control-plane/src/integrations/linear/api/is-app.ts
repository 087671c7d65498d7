/** Addresses that Linear makes up for apps and integrations. */
const APP_ADDRESS = /@(?:oauthapp|integration|linear)\.linear\.app$/i;

/** Whether somebody is an app or an integration; a delivery says it by the address alone. */
export function isApp({ email }: { email?: string | null | undefined }): boolean {
  return APP_ADDRESS.test(email?.trim() ?? '');
}
