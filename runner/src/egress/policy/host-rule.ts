import { isIP } from 'node:net';

const DEFAULT_PORTS: readonly number[] = [80, 443];

/** Parsed rule such as `*.example.org:8443`: an asterisk is one label, no port means 80 and 443. */
type ParsedRule = { labels: readonly string[]; ports: readonly number[] };

/** A host in comparable form: lower case, without brackets and the root's dot. */
export function normalHost(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** Whether one of the rules matches host and port. The rules must be valid. */
export function matchesHostRule(rules: readonly string[], host: string, port: number): boolean {
  const labels = labelsOf(normalHost(host));
  return rules.some((text) => {
    const rule = parse(text);
    return (
      rule.ports.includes(port) &&
      rule.labels.length === labels.length &&
      rule.labels.every((label, index) => label === '*' || label === labels[index])
    );
  });
}

function parse(text: string): ParsedRule {
  const [, host = '', port] = /^(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(text) ?? [];
  const ports = port === undefined ? DEFAULT_PORTS : [Number(port)];
  return { labels: labelsOf(normalHost(host)), ports };
}

/** Labels of a host; an address is a single label, so that no asterisk matches a part of it. */
function labelsOf(host: string): readonly string[] {
  return isIP(host) === 0 ? host.split('.') : [host];
}
