import { isIP } from 'node:net';

const DEFAULT_PORTS: readonly number[] = [80, 443];

/** `*.example.org:8443` taken apart: a star is one label, no port means 80 and 443. */
type ParsedRule = { labels: readonly string[]; ports: readonly number[] };

/** Lower case, without brackets and the root's dot, as rules and requests are compared. */
export function normalHost(host: string): string {
  return host
    .replace(/^\[(.*)\]$/, '$1')
    .replace(/\.$/, '')
    .toLowerCase();
}

/** Whether one of the rules names this host and port. Rules are checked before they come here. */
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

/** An address is one label: no star stands for a part of it. */
function labelsOf(host: string): readonly string[] {
  return isIP(host) === 0 ? host.split('.') : [host];
}
