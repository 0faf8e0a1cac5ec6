// The page: reads the data, then hands pointer and keys to the view.

const KEYS = [
    ['drag, ← →', 'move in time'], ['wheel, pinch, + −', 'zoom'], ['double click, 0', 'all times'],
    ['click an instant, Enter', 'unfold its tags'], ['n, p', 'next instant, instant before'], ['Esc', 'fold'],
    ['s', 'signals'], ['d', 'dark or light'], ['?', 'this help'],
];
const CLICK = 5;  // pixels that a pointer may move in a click
const SNAP = 7;   // pixels from which the cursor goes to an instant

function toolbar(view) {
    const bar = element('nav');
    const button = (text, title, action) => {
        const node = element('button', {title, 'aria-label': title}, text);
        node.onclick = action;
        bar.append(node);
    };
    button('−', 'Zoom out (−)', () => view.zoom(2));
    button('+', 'Zoom in (+)', () => view.zoom(0.5));
    button('⤢', 'All times (0)', () => view.showAll());
    button('‹', 'Instant before (p)', () => view.stepInstant(-1));
    button('›', 'Next instant (n)', () => view.stepInstant(1));
    button('≡', 'Signals (s)', () => view.signalDialog());
    button('◐', 'Dark or light (d)', () => view.toggleTheme());
    button('?', 'Keys (?)', () => view.helpDialog());
    if (view.runs.length > 1) {
        const select = element('select', {title: 'The run whose modes and instants are shown'});
        view.runs.forEach((run, i) => select.append(element('option', {value: i}, run.label)));
        select.onchange = () => view.useRun(Number(select.value));
        bar.append(select);
    }
    return bar;
}

function dialog(...children) {
    const close = element('button', {class: 'close', title: 'Close (Esc)'}, '✕');
    const node = element('dialog', {}, close, ...children);
    close.onclick = () => node.close();
    node.onclick = event => {  // without braces it would return false, and no box could be checked
        if (event.target === node) node.close();
    };
    node.onclose = () => node.remove();
    document.body.append(node);
    node.showModal();
}

function addDialogs(view) {
    view.helpDialog = () => {
        const table = element('table');
        for (const [keys, text] of KEYS) table.append(element('tr', {}, element('th', {}, keys), element('td', {}, text)));
        dialog(element('h2', {}, 'Keys'), table);
    };
    view.signalDialog = () => {
        const list = element('div', {class: 'choices'});
        view.head.columns.forEach((column, i) => {
            if (column.of !== undefined) return;
            const box = element('input', {type: 'checkbox'});
            box.checked = view.isShown(i);
            box.onchange = () => view.toggle(i);
            list.append(element('label', {}, box, ` ${column.name} ${column.unit}`));
        });
        dialog(element('h2', {}, 'Signals'), list);
    };
    view.toggleTheme = () => {
        document.documentElement.dataset.theme = view.dark ? 'light' : 'dark';
        view.readInk();
        view.draw();
    };
}

// ---- pointer

// One pointer moves, two zoom, a click chooses. Positions are in the pixels of the part below the pointer.
class Pointers {
    constructor(view) {
        this.view = view;
        this.down = new Map();
        view.stack.addEventListener('pointerdown', e => this.press(e));
        view.stack.addEventListener('pointermove', e => this.move(e));
        view.stack.addEventListener('pointerup', e => this.release(e));
        view.stack.addEventListener('pointercancel', e => this.down.delete(e.pointerId));
        view.stack.addEventListener('pointerleave', e => e.pointerType === 'mouse' && view.setCursor(null));
        view.stack.addEventListener('wheel', e => this.wheel(e), {passive: false});
        view.stack.addEventListener('dblclick', () => view.showAll());
    }
    // The part and the time below an event.
    find(event) {
        const part = this.view.parts.find(p => p.box.contains(event.target));
        if (!part || !part.x || part.inTime === false) return null;
        const x = event.clientX - part.box.getBoundingClientRect().left;
        return {part, x, t: part.x.value(x), perPixel: 1 / part.x.factor};
    }
    press(event) {
        const at = this.find(event);
        if (!at) return;
        this.down.set(event.pointerId, {x: at.x, start: at.x, y: event.clientY});
        at.part.box.setPointerCapture(event.pointerId);
        this.times = {...this.view.times};
        this.moved = this.down.size > 1;
    }
    move(event) {
        const at = this.find(event), held = this.down.get(event.pointerId), {view} = this;
        if (!at) return;
        if (!held) {
            view.setCursor(view.nearestInstant(at.t, SNAP * at.perPixel) ?? at.t);
            return;
        }
        const before = held.x;
        held.x = at.x;
        this.moved ||= Math.abs(held.x - held.start) > CLICK;
        if (this.down.size === 1 && this.moved) view.pan((before - at.x) / (at.part.x.end - at.part.x.start));
        if (this.down.size === 2) {
            const [a, b] = [...this.down.values()], other = held === a ? b : a;
            const old = Math.abs(before - other.x), now = Math.abs(at.x - other.x);
            if (old > 4 && now > 4) view.zoom(old / now, at.part.x.value((held.x + other.x) / 2));
        }
    }
    release(event) {
        const at = this.find(event), held = this.down.get(event.pointerId), {view} = this;
        this.down.delete(event.pointerId);
        if (!at || !held || this.moved) return;
        const within = (event.pointerType === 'mouse' ? 2 : 3) * SNAP * at.perPixel, t = view.nearestInstant(at.t, within);
        if (t !== null) view.choose(t);
        else view.setCursor(at.t);
    }
    wheel(event) {
        const at = this.find(event);
        if (!at) return;
        event.preventDefault();
        const amount = event.deltaMode === 1 ? 20 : 1;
        if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
            this.view.pan(amount * (event.deltaX || event.deltaY) / 800);
        else this.view.zoom(Math.exp(Math.max(-1, Math.min(1, amount * event.deltaY / 400))), at.t);
    }
}

// ---- keys

function onKey(view, event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
    if (event.target.matches('select, input')) return;
    const around = view.cursor ?? undefined;
    const actions = {
        ArrowLeft: () => view.pan(-0.1), ArrowRight: () => view.pan(0.1),
        '+': () => view.zoom(0.5, around), '=': () => view.zoom(0.5, around), '-': () => view.zoom(2, around),
        0: () => view.showAll(), Home: () => view.showAll(),
        n: () => view.stepInstant(1), p: () => view.stepInstant(-1), Escape: () => view.choose(null),
        Enter: () => view.choose(view.nearestInstant(view.cursor ?? view.times.from, view.times.to - view.times.from)),
        s: () => view.signalDialog(), d: () => view.toggleTheme(), '?': () => view.helpDialog(),
    };
    const action = actions[event.key];
    if (!action || (event.key === 'Enter' && event.target.matches('button'))) return;
    event.preventDefault();
    action();
}

// ---- start

async function start() {
    const root = document.getElementById('page'), head = JSON.parse(document.getElementById('head').textContent);
    const source = document.getElementById('rows'), bar = element('progress', {max: 1});
    root.append(element('header', {}, element('h1', {}, head.title || 'Kairos'), bar));
    const runs = await decode(head, source.textContent, share => {
        bar.value = share;
        return new Promise(done => setTimeout(done));
    });
    source.remove();
    const view = new View(head, runs, root);
    const where = element('output', {class: 'where'});
    addDialogs(view);
    bar.replaceWith(where, toolbar(view));
    const rows = runs.reduce((sum, run) => sum + run.t.length, 0), instants = view.run.instants.length;
    const rest = `${rows.toLocaleString('en')} rows, ${instants.toLocaleString('en')} instants`;
    view.onCursor = () => {
        const {from, to} = view.times;
        const {factor, name} = timeUnit(Math.max(Math.abs(from), Math.abs(to)), head.timeUnit);
        where.textContent = view.cursor === null ? rest : `t = ${timeText(view.cursor / factor, (to - from) / factor)} ${name}`;
    };
    view.onCursor();
    new Pointers(view);
    document.addEventListener('keydown', event => onKey(view, event));
    new ResizeObserver(() => view.draw()).observe(view.stack);
    matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
        view.readInk();
        view.draw();
    });
    const wanted = new URLSearchParams(location.hash.slice(1));
    if (wanted.has('dark') || wanted.has('light')) {
        document.documentElement.dataset.theme = wanted.has('dark') ? 'dark' : 'light';
        view.readInk();
    }
    if (wanted.has('from') && wanted.has('to')) view.setTimes(Number(wanted.get('from')), Number(wanted.get('to')));
    if (wanted.has('instant')) view.choose(view.nearestInstant(Number(wanted.get('instant')), Infinity));
    window.kairos = view;
    document.documentElement.dataset.ready = 'yes';
}

if (typeof document !== 'undefined') start();
