// An instant unfolded: its tags one below the other with the values that change, and what fired, with the lines that did it.

const SHOWN_MOST = 40;  // columns of the table

// The columns that are not the same at all tags.
function changing(run, head, first, last) {
    const list = [];
    head.columns.forEach((column, i) => {
        const values = run.columns[i];
        for (let row = first + 1; row <= last; row++)
            if (!Object.is(values[row], values[row - 1])) {
                list.push(i);
                return;
            }
    });
    return list;
}

function cellText(column, value) {
    if (value !== value) return '·';
    return column.kind === 'mode' ? column.modes[value] : valueText(value);
}

function tagTable(run, head, first, last) {
    const columns = changing(run, head, first, last), shown = columns.slice(0, SHOWN_MOST);
    const top = element('tr', {}, element('th', {}, 'tag ⟨p, m⟩'));
    for (const i of shown) top.append(element('th', {}, `${head.columns[i].name} ${head.columns[i].unit}`));
    const table = element('table', {}, element('thead', {}, top)), body = element('tbody');
    for (let row = first; row <= last; row++) {
        const line = element('tr', {}, element('th', {}, minus(`⟨${run.p[row]}, ${run.m[row]}⟩`)));
        for (const i of shown) {
            const value = run.columns[i][row], changed = row > first && !Object.is(value, run.columns[i][row - 1]);
            line.append(element('td', changed ? {class: 'changed', title: String(value)} : {title: String(value)},
                                cellText(head.columns[i], value)));
        }
        body.append(line);
    }
    table.append(body);
    const wide = element('div', {class: 'wide'}, table);
    if (shown.length < columns.length) wide.append(`and ${columns.length - shown.length} more signals`);
    return columns.length > 0 ? wide : element('p', {}, 'No recorded signal changes here.');
}

function firedList(run, head, t) {
    const list = element('dl');
    for (const {p, m, cause} of run.firedAt(t)) {
        const {kind, file, line, text, source} = head.causes[cause];
        list.append(element('dt', {}, minus(`⟨${p}, ${m}⟩ `), element('b', {}, kind), ` ${text}`));
        if (file !== '') list.append(element('dd', {title: file}, `${file.replace(/.*\//, '')}:${line} `, element('code', {}, source.trim())));
    }
    return list;
}

// The instant at time t of a run as an element; null if there is none.
function unfold(view, t) {
    const {run, head} = view, first = lowerBound(run.t, t), last = upperBound(run.t, t) - 1;
    if (last <= first) return null;
    const number = lowerBound(run.instantTimes, t) + 1, close = element('button', {title: 'Close (Esc)'}, '✕');
    const before = element('button', {title: 'Instant before (p)'}, '‹'), after = element('button', {title: 'Next instant (n)'}, '›');
    close.onclick = () => view.choose(null);
    before.onclick = () => view.stepInstant(-1);
    after.onclick = () => view.stepInstant(1);
    const title = element('h2', {}, `t = ${minus(String(t))}`, element('small', {}, ` ${last - first + 1} tags · instant ${number} of ${run.instants.length}`));
    const node = element('section', {class: 'instant', 'aria-live': 'polite'},
                         element('header', {}, title, before, after, close), tagTable(run, head, first, last));
    const fired = firedList(run, head, t);
    if (fired.children.length > 0) node.append(element('h3', {}, 'What fired'), fired);
    return node;
}
