"""Accented Latin: typed with and without its accents, in capitals, with apostrophes and ligatures."""

from __future__ import annotations

from lexical.scripts.corpus import Corpus

FRENCH = Corpus(
    "french",
    {
        "L'hôtel Élysée se trouve près de la gare à Besançon": [
            "hôtel",
            "hotel",
            "Elysee",
            "ÉLYSÉE",
            "besancon",
            "gare",
        ],
        "Chloé déteste les crêpes mais adore le pâté": ["Chloé", "chloe", "crepes", "crêpe", "pâté", "pate"],
        "Aujourd'hui l'équipe fête son cinquième anniversaire": ["équipe", "equipe", "d'équipe", "aujourd’hui", "fête"],
        "Le numéro de dossier est FR-2209-B": ["FR-2209-B", "2209", "numero", "dossier"],
        "Les œufs sont livrés chaque mardi matin": ["œufs", "oeufs", "mardi", "livres", "ŒUFS"],
    },
    ["fromage", "Lyon", "jeudi", "voiture", "2210", "été"],
)

GERMAN = Corpus(
    "german",
    {
        "Frau Müller wohnt in der Schloßstraße in Köln": [
            "Müller",
            "muller",
            "MÜLLER",
            "Schlossstrasse",
            "SCHLOẞSTRASSE",
            "koln",
        ],
        "Das Gerät meldet einen Übertragungsfehler": ["Gerät", "gerat", "übertragungsfehler", "Ubertragungsfehler"],
        "Jürgen trinkt keinen Kaffee und isst kein Fleisch": ["Jürgen", "jurgen", "Kaffee", "fleisch"],
        "Der Mietvertrag läuft am 31.12.2027 aus": ["Mietvertrag", "31.12.2027", "2027", "läuft"],
        "Die Prüfung in Düsseldorf wurde verschoben": ["Prüfung", "prufung", "Düsseldorf", "dusseldorf"],
    },
    ["Berlin", "Tee", "Fahrrad", "2028", "Hund", "Öl"],
)

SPANISH = Corpus(
    "spanish",
    {
        "El año que viene la conexión será más rápida": ["año", "ano", "conexion", "conexión", "rapida", "AÑO"],
        "Íñigo vive en Málaga con su hermana": ["Íñigo", "inigo", "malaga", "MÁLAGA", "hermana"],
        "¿Dónde está la contraseña del router? En el cajón": ["contraseña", "contrasena", "cajon", "¿dónde", "router"],
        "La reunión es el miércoles en el salón de actos": ["reunión", "reunion", "miercoles", "salon"],
        "Los niños son alérgicos al cacahuete": ["niños", "ninos", "niño", "cacahuete", "cacahuetes"],
    },
    ["perro", "Sevilla", "jueves", "coche", "manzana", "mañana"],
)

POLISH = Corpus(
    "polish",
    {
        "Łukasz mieszka w Łodzi przy ulicy Żeromskiego": ["Łukasz", "lukasz", "Łodzi", "ŁODZI", "lodzi", "zeromskiego"],
        "Hasło do bazy danych zmieniono w środę": ["hasło", "haslo", "środę", "srode", "bazy danych"],
        "Spółka z o.o. ma siedzibę w Gdańsku": ["spółka", "spolka", "gdansku", "z o.o.", "siedzibę"],
        "Małgorzata lubi pączki i źle znosi gluten": ["Małgorzata", "malgorzata", "pączki", "paczki", "gluten"],
        "Następne spotkanie jest zaplanowane na październik": ["spotkanie", "październik", "pazdziernik", "następne"],
    },
    ["Kraków", "kot", "czwartek", "samochód", "herbata", "żółw"],
)

TURKISH = Corpus(
    "turkish",
    {
        "İstanbul ofisi Beşiktaş'ta bulunuyor": ["istanbul", "İSTANBUL", "ISTANBUL", "Beşiktaş", "besiktas", "ofisi"],
        "Iğdır şubesi yazın kapalı": ["ığdır", "igdir", "IĞDIR", "şubesi", "kapali"],
        "Çağla fıstığa alerjisi olduğunu söyledi": ["Çağla", "cagla", "fıstığa", "fistiga", "soyledi"],
        "Toplantı perşembe günü saat üçte": ["toplantı", "toplanti", "TOPLANTI", "perşembe", "persembe", "üçte"],
        "Şifre her altı ayda bir değişir": ["şifre", "sifre", "ŞİFRE", "değişir", "degisir"],
    },
    ["Ankara", "çay", "pazar", "köpek", "araba", "kış"],
)

VIETNAMESE = Corpus(
    "vietnamese",
    {
        "Máy chủ đặt tại Hà Nội, Việt Nam": ["máy chủ", "may chu", "Hà Nội", "ha noi", "viet nam", "VIỆT NAM"],
        "Chị Hương dị ứng với đậu phộng": ["Hương", "huong", "đậu phộng", "dau phong", "dị ứng"],
        "Cuộc họp dời sang thứ Năm tuần sau": ["cuộc họp", "cuoc hop", "thứ năm", "tuần sau"],
        "Mật khẩu cơ sở dữ liệu đã đổi hôm qua": ["mật khẩu", "mat khau", "dữ liệu", "du lieu", "hôm qua"],
        "Phở bò ở Đà Nẵng rất ngon": ["phở", "pho bo", "Đà Nẵng", "da nang", "ngon"],
    },
    ["cà phê", "Huế", "xe hơi", "mèo", "gạo", "trời"],
)
