"""Words that take a full stop without ending a sentence. Case-folded, without the stop.

Short on purpose: "etc.", "Inc." or "max." end sentences too, and a small letter behind the stop already
tells. Dotted ones ("e.g.", "z.B.", "U.S.") and initials are known by their shape, not from a list.
"""

from __future__ import annotations

_ANYWHERE = """
    mr mrs ms messrs dr prof rev hon st mt gen col capt lt sgt maj adm gov sen vs al cf ca approx dept
    viz resp incl excl ed eds esp ibid
    hr fr frl dipl ing bzw vgl evtl ggf ggfs bspw bzgl sog inkl exkl zzgl abzgl ehem geb gest hrsg allg insb
    mme mlle mgr sr sra srta dra av
    г ул стр рис см ср проф акад им тыс млн млрд
    डॉ प्रो पं श्री सुश्री कु स्व
"""
_BEFORE_NUMBERS = """
    no nos nr nrn num fig figs eq eqs eqn vol vols p pp pg ch chap sec sect art arts par para app ref refs tab
    jan feb mar apr jun jul aug sep sept oct nov dec
    bd bde s kap abb abs aufl rn rdnr ziff ver v
    núm pág cap д п гл क्र सं
"""

ANYWHERE = frozenset(_ANYWHERE.split())
"""Stand before names or in the middle of sentences."""

BEFORE_NUMBERS = frozenset(_BEFORE_NUMBERS.split())
"""Abbreviations only where a number follows: "no", "fig" and "art" are words too."""
