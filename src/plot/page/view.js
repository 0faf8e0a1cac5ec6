// What is shown: the times in view, the cursor, the chosen instant, the panels; and how they change.

class View {
    constructor(head, runs, root) {
        Object.assign(this, {head, runs, root, cursor: null, chosen: null});
        this.run = runs[0];
        const firsts = runs.filter(r => r.t.length > 0);
        this.whole = {from: Math.min(...firsts.map(r => r.t[0])), to: Math.max(...firsts.map(r => r.t[r.t.length - 1]))};
        if (this.whole.from === this.whole.to) this.whole = {from: this.whole.from - 0.5, to: this.whole.to + 0.5};
        this.times = {...this.whole};
        this.stack = element('div', {class: 'stack'});
        this.aside = element('div', {class: 'aside'});
        root.append(this.stack, this.aside);
        this.panels = head.panels.map(p => ({signals: p.signals.filter(s => this.isCurve(s)), against: p.against}))
            .filter(p => p.signals.length > 0);
        this.lanes = this.firstLanes();
        this.readInk();
        this.build();
    }
    isCurve(column) {
        const {kind, of} = this.head.columns[column];
        return (kind === 'real' || kind === 'bool') && of === undefined;
    }
    // Machines with more than one mode, the events that a panel names, then others while there is room.
    firstLanes() {
        const {columns, panels} = this.head, named = panels.flatMap(p => p.signals);
        const modes = columns.flatMap((c, i) => c.kind === 'mode' && this.run.modePieces(i).mode.length > 1 ? [i] : []);
        const events = columns.flatMap((c, i) => c.kind === 'event' && this.run.present(i).length > 0 ? [i] : []);
        events.sort((a, b) => named.includes(b) - named.includes(a));
        return [...modes.slice(0, 6), ...events.slice(0, Math.max(2, 6 - modes.length))];
    }
    // ---- what there is
    build() {
        const parts = this.panels.map(p => new Panel(this, p.signals, p.against));
        parts.sort((a, b) => b.inTime - a.inTime);
        const timed = parts.filter(p => p.inTime);
        if (timed.length > 0) timed[timed.length - 1].last = true;
        if (this.lanes.length > 0) parts.unshift(new Lanes(this, this.lanes));
        this.parts = parts;
        this.stack.replaceChildren(...parts.map(p => p.node));
        this.panelHeight = timed.length > 3 ? 150 : timed.length > 1 ? 200 : 300;
        this.draw();
    }
    isShown(column) {
        return this.lanes.includes(column) || this.panels.some(p => p.signals.includes(column));
    }
    toggle(column) {
        if (!this.isCurve(column))
            this.lanes = this.lanes.includes(column) ? this.lanes.filter(i => i !== column) : [...this.lanes, column];
        else if (this.isShown(column)) {
            for (const p of this.panels) p.signals = p.signals.filter(s => s !== column);
            this.panels = this.panels.filter(p => p.signals.length > 0);
        } else this.panels.push({signals: [column], against: -1});
        this.build();
    }
    useRun(index) {
        this.run = this.runs[index];
        this.choose(null);
        this.build();
    }
    // ---- looks
    readInk() {
        const style = getComputedStyle(document.documentElement);
        this.ink = {};
        for (const name of ['background', 'text', 'faint', 'grid', 'axis', 'accent', 'onColour'])
            this.ink[name] = style.getPropertyValue('--' + name.toLowerCase()).trim();
        this.dark = style.getPropertyValue('--is-dark').trim() === '1';
    }
    palette() {
        return this.dark ? PALETTE.dark : PALETTE.light;
    }
    margins() {
        return {left: window.innerWidth < 600 ? 46 : 62, right: 12};
    }
    // Where double numbers are coarser than labels, ticks count from a round time inside the view.
    timeBase() {
        const {from, to} = this.times, span = to - from, most = Math.max(Math.abs(from), Math.abs(to));
        if (span > 1e-5 * most) return {base: 0, from, to};
        const step = 10 ** (Math.ceil(Math.log10(span)) + 1), digits = Math.max(0, Math.min(17, -Math.round(Math.log10(step))));
        const base = Number((Math.floor(from / step) * step).toFixed(digits));
        return {base, from: from - base, to: to - base};
    }
    draw() {
        if (this.waiting) return;
        this.waiting = true;
        requestAnimationFrame(() => {
            this.waiting = false;
            for (const part of this.parts) part.draw();
        });
    }
    // ---- times
    setTimes(from, to) {
        const {whole} = this, most = Math.max(Math.abs(whole.from), Math.abs(whole.to));
        const least = Math.max(most * 2e-15, 1e-300), span = Math.min(whole.to - whole.from, Math.max(least, to - from));
        if (to - from < least) from = (from + to) / 2 - least / 2;
        from = Math.max(whole.from, Math.min(whole.to - span, from));
        this.times = {from, to: from + span};
        this.draw();
    }
    zoom(factor, t = (this.times.from + this.times.to) / 2) {
        this.setTimes(t - (t - this.times.from) * factor, t + (this.times.to - t) * factor);
    }
    pan(share) {
        const by = share * (this.times.to - this.times.from);
        this.setTimes(this.times.from + by, this.times.to + by);
    }
    showAll() {
        this.setTimes(this.whole.from, this.whole.to);
    }
    // ---- cursor and instants
    nearestInstant(t, within) {
        const {instantTimes} = this.run, after = lowerBound(instantTimes, t);
        let best = null;
        for (const i of [after - 1, after])
            if (i >= 0 && i < instantTimes.length && Math.abs(instantTimes[i] - t) <= within &&
                (best === null || Math.abs(instantTimes[i] - t) < Math.abs(best - t))) best = instantTimes[i];
        return best;
    }
    setCursor(t) {
        this.cursor = t === null ? this.chosen : t;
        for (const part of this.parts) if (part.x) part.drawCursor();
        this.onCursor?.();
    }
    choose(t) {
        this.chosen = t;
        const node = t !== null ? unfold(this, t) : null;
        this.aside.replaceChildren(...(node ? [node] : []));
        this.root.classList.toggle('unfolded', node !== null);
        this.setCursor(t);
        this.draw();
    }
    // The next instant, or the one before; it comes into view.
    stepInstant(by) {
        const {instantTimes} = this.run, {from, to} = this.times;
        const here = this.chosen ?? this.cursor ?? (by > 0 ? from : to);
        const index = by > 0 ? upperBound(instantTimes, here) : lowerBound(instantTimes, here) - 1;
        if (index < 0 || index >= instantTimes.length) return;
        const t = instantTimes[index], span = to - from;
        if (t < from || t > to) this.setTimes(t - span / 2, t + span / 2);
        this.choose(t);
    }
}
