'use strict';
// Commits as a list: the newest first, each with its largest changes, what `tally history log` prints.

function commitCards(runs, most) {
  const line = (step) =>
    el(
      'li',
      {},
      changeOf(step),
      ' ',
      el('a', {href: caseAddress(step.case, step.run.commit)}, step.case.id),
      ' ',
      el('span', {class: 'soft'}, countsOf(step)),
      ' ',
      agreedTag(step),
    );
  return runs.map((run) => {
    const {commit, steps} = run;
    const range = steps.length > 0 && rangeOf(steps[0]);
    return el(
      'article',
      {class: 'sheet pad commit-card'},
      el(
        'p',
        {},
        commitLink(commit),
        ' ',
        el('b', {}, commit.title),
        ' ',
        el('span', {class: 'soft'}, commit.author),
      ),
      el('p', {class: 'small soft'}, runWords(run), range && ` · ${range}`),
      el('ul', {class: 'list'}, steps.slice(0, most).map(line)),
      steps.length > most &&
        el(
          'p',
          {class: 'small'},
          el('a', {href: commitAddress(commit)}, `and ${count(steps.length - most)} more`),
        ),
      run.times.length > 0 &&
        el(
          'p',
          {class: 'small'},
          el('span', {class: 'tag notice'}, 'time'),
          ` ${plural(run.times.length, 'change', 'changes')} nominated: `,
          el('a', {href: commitAddress(commit)}, run.times[0].case.id),
          ` ${timeChangeWords(run.times[0])}`,
        ),
      run.broken.length > 0 &&
        el(
          'p',
          {class: 'small'},
          tag('failed'),
          ' ' +
            run.broken
              .map((one) => one.id)
              .slice(0, 5)
              .join(', '),
        ),
      epochAt(run) &&
        el(
          'p',
          {class: 'small'},
          el('span', {class: 'tag notice'}, 'environment'),
          ` ${epochAt(run).environment}. ${epochWords(epochAt(run))}`,
        ),
      run.seams.length > 0 &&
        el(
          'p',
          {class: 'small'},
          el('span', {class: 'tag notice'}, 'new series'),
          ' ',
          `${plural(run.seams.length, 'case', 'cases')}: ${run.seams[0].why}`,
        ),
    );
  });
}

const matters = (run) =>
  [run.steps, run.times, run.broken, run.seams].some((list) => list.length > 0) ||
  Boolean(epochAt(run));

function showCommits() {
  document.title = 'Commits – ' + data.name;
  const wanted = viewOf('find') || '';
  const place = el('div');
  const draw = () => {
    const words = filter.value.toLowerCase().split(/\s+/);
    const all = viewOf('all') === '1';
    const matching = site.runs.filter((run) => {
      const {id, author, title} = run.commit;
      const text = `${id} ${author} ${title}`.toLowerCase();
      return (all || matters(run)) && words.every((word) => text.includes(word));
    });
    const newest = matching.toReversed();
    place.replaceChildren(
      newest.length
        ? fewFirst(newest, 50, (runs) => el('div', {}, commitCards(runs, 5)))
        : el('p', {class: 'none sheet'}, 'No commit matches.'),
    );
    for (const chip of chips.children)
      chip.setAttribute('aria-pressed', String((chip.dataset.all === '1') === all));
  };
  const chip = (title, all) =>
    el(
      'button',
      {
        type: 'button',
        class: 'chip',
        'data-all': all,
        onclick: () => {
          keepView('all', all || undefined);
          draw();
        },
      },
      title,
    );
  const chips = el(
    'div',
    {class: 'chips', role: 'group', 'aria-label': 'Show'},
    chip('with changes', ''),
    chip('all measured', '1'),
  );
  const filter = filterInput('Filter commits', wanted, (text) => {
    keepView('find', text || undefined);
    draw();
  });
  view.replaceChildren(
    el('h1', {}, plural(site.runs.length, 'measured commit', 'measured commits')),
    chips,
    el('div', {class: 'tools'}, filter, el('kbd', {}, '/')),
    place,
  );
  draw();
  window.scrollTo(0, 0);
}
