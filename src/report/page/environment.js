'use strict';
// What was measured on: machine, settings, environments.

function environmentDetails() {
  const list = (pairs) =>
    el(
      'dl',
      {class: 'pairs'},
      Object.entries(pairs).flatMap(([key, value]) => [el('dt', {}, key), el('dd', {}, value)]),
    );
  const run = data.run;
  return el(
    'details',
    {},
    el('summary', {}, 'Machine, settings and environments'),
    list({
      command: run.command,
      tool: `tally ${run.version} ${run.commit}`,
      cpu: `${run.cpu} (${run.cpus})`,
      memory: (run.memory_bytes / 2 ** 30).toFixed(1) + ' GiB',
      system: `${run.system}, Linux ${run.kernel}`,
      iterations: String(run.iterations),
      'cache simulation': run.cache_sim ? 'on' : 'off',
    }),
    Object.entries(run.environments).map(([name, environment]) => [
      el('h2', {}, 'Environment ' + name),
      list({...environment.facts, fingerprint: environment.fingerprint}),
      Object.keys(environment.subject).length > 0 &&
        el('p', {class: 'soft small'}, 'What is measured:'),
      list(environment.subject),
    ]),
  );
}
